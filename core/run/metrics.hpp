// SPDX-License-Identifier: Apache-2.0
// metrics.jsonl: one JSON object a line, append only. README.md has its keys.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "halfling/reporter.hpp"
#include "run/json_lines.hpp"

namespace halfling {

/// Every whole line of a file; empty where there is no file. A killed run may have left a torn last line.
std::vector<RunMetrics> read_metrics(const std::filesystem::path& file);

class MetricsFile final : public Reporter {
 public:
  /// As JsonLines.
  MetricsFile(std::filesystem::path file, std::int64_t iteration) : lines_(std::move(file), iteration) {}

  /// Seconds of training in the last line kept, 0 without one.
  double elapsed() const { return lines_.elapsed(); }
  /// The last line kept from an earlier execution; iteration 0 without one.
  RunMetrics kept() const;
  /// The same iteration is written once.
  void metrics(const RunMetrics& metrics) override;

 private:
  JsonLines lines_;
};

}  // namespace halfling
