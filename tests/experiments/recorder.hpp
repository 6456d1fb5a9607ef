// SPDX-License-Identifier: Apache-2.0
// Reporters for tests.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "halfling/reporter.hpp"

namespace halfling::test {

/// Keeps all that it is told.
class Recorder : public Reporter {
 public:
  void began(const RunDescription& run) override {
    hear("began", run.iteration);
    description = run;
  }
  void iteration(const IterationDone& done) override {
    hear("iteration", done.iteration);
    iterations.push_back(done);
  }
  void metrics(const RunMetrics& now) override {
    hear("metrics", now.iteration);
    all_metrics.push_back(now);
  }
  void grid(const SampleGrid& grid) override {
    hear("grid", grid.iteration);
    grids.push_back(grid);
  }
  void observed(const std::vector<Observation>& values) override {
    hear("observed", values.at(0).iteration);
    observations = values.size();
  }
  void checkpoint(const CheckpointWritten& checkpoint) override {
    hear("checkpoint", checkpoint.iteration);
    CHECK(std::filesystem::exists(checkpoint.file));
    checkpoint_bytes = checkpoint.bytes;
  }
  void note(const std::string& line) override { notes.push_back(line); }
  void ended(const Summary& summary) override {
    hear("ended " + summary.status, summary.iterations);
    end = summary;
  }

  std::ptrdiff_t place(const std::string& event) const {
    const auto found = std::ranges::find(events, event);
    return found == events.end() ? -1 : found - events.begin();
  }
  std::ptrdiff_t count(const std::string& kind) const {
    return std::ranges::count_if(events, [&](const std::string& e) { return e.starts_with(kind + " "); });
  }

  std::vector<std::string> events, notes;
  RunDescription description;
  std::vector<IterationDone> iterations;
  std::vector<RunMetrics> all_metrics;
  std::vector<SampleGrid> grids;
  Summary end;
  std::size_t observations = 0;
  std::uint64_t checkpoint_bytes = 0;

 private:
  void hear(const std::string& event, std::int64_t iteration) {
    events.push_back(event + " " + std::to_string(iteration));
  }
};

/// Does something after an iteration.
class At : public Reporter {
 public:
  At(std::int64_t iteration, std::function<void()> action)
      : iteration_(iteration), action_(std::move(action)) {}
  void iteration(const IterationDone& done) override {
    if (done.iteration == iteration_) action_();
  }

 private:
  std::int64_t iteration_;
  std::function<void()> action_;
};

/// Does something once a checkpoint is complete: nobody writes there then. The iterations after it are slowed
/// down until it is, as a disk may take longer than all of them.
class AfterCheckpoint : public Reporter {
 public:
  AfterCheckpoint(std::int64_t iteration, std::filesystem::path file, std::function<void()> action)
      : iteration_(iteration), file_(std::move(file)), action_(std::move(action)) {}
  void iteration(const IterationDone& done) override {
    using namespace std::chrono_literals;
    if (done.iteration <= iteration_ || told_) return;
    for (int i = 0; i < 600 && !std::filesystem::exists(file_); ++i) std::this_thread::sleep_for(100ms);
    std::this_thread::sleep_for(200ms);  // for what is done after the file has its name
  }
  void checkpoint(const CheckpointWritten& written) override {
    if (written.iteration != iteration_) return;
    told_ = true;
    action_();
  }

 private:
  std::int64_t iteration_;
  std::filesystem::path file_;
  std::function<void()> action_;
  bool told_ = false;
};

}  // namespace halfling::test
