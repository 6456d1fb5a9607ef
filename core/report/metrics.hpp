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
#include "report/json_lines.hpp"

namespace halfling {

class MetricsFile {
 public:
  /// As JsonLines.
  MetricsFile(std::filesystem::path file, std::int64_t iteration) : lines_(std::move(file), iteration) {}

  /// Seconds of training in the last line kept, 0 without one.
  double elapsed() const { return lines_.elapsed(); }
  /// The last line kept from an earlier execution; iteration 0 without one.
  RunFigures kept() const;
  /// The same iteration is written once.
  void append(const RunFigures& figures);

 private:
  JsonLines lines_;
};

}  // namespace halfling
