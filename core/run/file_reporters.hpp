// SPDX-License-Identifier: Apache-2.0
// The reporters that write a run folder's files, besides metrics.jsonl (metrics.hpp). Every run has them.
#pragma once

#include "halfling/reporter.hpp"
#include "run/json_lines.hpp"
#include "run/run_folder.hpp"

namespace halfling {

/// samples/<iteration>.png. A folder that is missing is made again.
class GridFiles final : public Reporter {
 public:
  explicit GridFiles(const RunFolder& folder) : folder_(folder) {}
  void grid(const SampleGrid& grid) override;

 private:
  RunFolder folder_;
};

/// monitor.jsonl.
class MonitorFile final : public Reporter {
 public:
  /// As JsonLines.
  MonitorFile(const RunFolder& folder, std::int64_t iteration) : lines_(folder.monitor(), iteration) {}
  void observed(const std::vector<Observation>& values) override;

 private:
  JsonLines lines_;
};

/// summary.json.
class SummaryFile final : public Reporter {
 public:
  explicit SummaryFile(const RunFolder& folder) : folder_(folder) {}
  void ended(const Summary& summary) override { write_summary(folder_.summary(), summary); }

 private:
  RunFolder folder_;
};

}  // namespace halfling
