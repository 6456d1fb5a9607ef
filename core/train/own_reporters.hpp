// SPDX-License-Identifier: Apache-2.0
// The reporters that every run has.
#pragma once

#include <optional>

#include "run/file_reporters.hpp"
#include "run/metrics.hpp"
#include "train/reporters.hpp"
#include "train/status_line.hpp"

namespace halfling {

class OwnReporters {
 public:
  /// Their files continue after an iteration; see JsonLines.
  OwnReporters(const Experiment& experiment, const RunFolder& folder, std::int64_t iteration,
               Progress& progress);

  const MetricsFile& metrics() const { return metrics_; }
  std::vector<NamedReporter> list();

 private:
  StatusLine status_line_;
  MetricsFile metrics_;
  std::optional<MonitorFile> monitor_;
  GridFiles grids_;
  SummaryFile summary_;
};

}  // namespace halfling
