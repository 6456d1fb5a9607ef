// SPDX-License-Identifier: Apache-2.0
// The reporter that people watch: what is about to be trained, notes, and the status line.
#pragma once

#include "halfling/reporter.hpp"
#include "train/progress.hpp"

namespace halfling {

class StatusLine final : public Reporter {
 public:
  explicit StatusLine(Progress& progress) : progress_(progress) {}
  void began(const RunDescription& run) override;
  bool wants_metrics() const override { return progress_.due(); }
  void metrics(const RunMetrics& metrics) override;
  void note(const std::string& line) override { progress_.note("  " + line); }
  void ended(const Summary&) override { progress_.end_line(); }

 private:
  Progress& progress_;
};

}  // namespace halfling
