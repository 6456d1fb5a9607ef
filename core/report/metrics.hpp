// SPDX-License-Identifier: Apache-2.0
// metrics.jsonl: one JSON object a line, append only:
// {"iteration": 10, "epoch": 0, "elapsed_s": 1.5, "images_per_s": 430.1, "operations": {"d": {"loss": 1.38,
//  "scale": 65536.0, "skipped": 0, "found": 0}, …}}. JSON has no NaN and no infinity; they are the strings
//  "nan", "inf" and
// "-inf".
#pragma once

#include <cstdint>
#include <filesystem>

#include "report/figures.hpp"

namespace halfling {

class MetricsFile {
 public:
  /// Continues after `iteration`: lines of later iterations, and a torn last line, are dropped. 0 begins
  /// anew. Throws Error where the file cannot be written.
  MetricsFile(std::filesystem::path file, std::int64_t iteration);
  ~MetricsFile();
  MetricsFile(const MetricsFile&) = delete;
  MetricsFile& operator=(const MetricsFile&) = delete;

  /// Seconds of training in the last line kept, 0 without one.
  double elapsed() const { return elapsed_; }
  /// Hands a whole line to the system before it returns; the same iteration is written once.
  void append(const RunFigures& figures);

 private:
  std::filesystem::path file_;
  int descriptor_ = -1;
  std::int64_t last_ = 0;
  double elapsed_ = 0;
};

}  // namespace halfling
