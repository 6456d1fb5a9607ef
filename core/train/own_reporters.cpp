// SPDX-License-Identifier: Apache-2.0
#include "train/own_reporters.hpp"

namespace halfling {

OwnReporters::OwnReporters(const Experiment& experiment, const RunFolder& folder, std::int64_t iteration,
                           Progress& progress)
    : status_line_(progress), metrics_(folder.metrics(), iteration), grids_(folder), summary_(folder) {
  if (experiment.monitor.every) monitor_.emplace(folder, iteration);
}

/// Without metrics a run could not go on where it stood, and without a summary nobody would know what it came
/// to: these two are required. The status line comes first, to show what is said of the others.
std::vector<NamedReporter> OwnReporters::list() {
  std::vector<NamedReporter> list{{&status_line_, "status line"}, {&metrics_, "metrics.jsonl", true}};
  if (monitor_) list.push_back({&*monitor_, "monitor.jsonl"});
  list.push_back({&grids_, "samples"});
  list.push_back({&summary_, "summary.json", true});
  return list;
}

}  // namespace halfling
