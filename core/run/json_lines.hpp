// SPDX-License-Identifier: Apache-2.0
// A file of JSON objects, one a line, append only; each has the key "iteration".
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace halfling {

class JsonLines {
 public:
  /// Continues after `iteration`: lines of later iterations, and a torn last line, are dropped. 0 begins
  /// anew. Lines that are damaged are dropped, too. Throws Error where the file is there and cannot be read,
  /// and where it cannot be written.
  JsonLines(std::filesystem::path file, std::int64_t iteration);
  ~JsonLines();
  JsonLines(const JsonLines&) = delete;
  JsonLines& operator=(const JsonLines&) = delete;

  /// The iteration of the last line, 0 without one, and the last "elapsed_s" that was kept.
  std::int64_t last() const { return last_; }
  double elapsed() const { return elapsed_; }
  /// The text of the last line that was kept from before, empty without one.
  const std::string& kept() const { return kept_; }
  /// Hands whole lines of one iteration to the system before it returns.
  void append(std::int64_t iteration, const std::string& lines);

 private:
  std::filesystem::path file_;
  int descriptor_ = -1;
  std::int64_t last_ = 0;
  double elapsed_ = 0;
  std::string kept_;
};

}  // namespace halfling
