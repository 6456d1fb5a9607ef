// SPDX-License-Identifier: Apache-2.0
// The loop around a trial: iterations until the budget is used up or an interrupt comes, and on the way
// metrics, image grids, checkpoints and the status line; a summary at the end.
#pragma once

#include "measure/iteration_times.hpp"
#include "report/metrics.hpp"
#include "report/progress.hpp"
#include "train/run_folder.hpp"
#include "train/schedule.hpp"
#include "train/trial.hpp"

namespace halfling {

class Trainer {
 public:
  /// The trial is at its first iteration or was resumed at `start`. setup_s: seconds that it took to make.
  Trainer(Trial& trial, const RunFolder& folder, Progress& progress, const CheckpointLabel& start,
          double setup_s);

  /// Trains to the end or to an interrupt, which ends after the running iteration; either way the last state
  /// is in a checkpoint and the figures are in summary.json. Throws Error where a loss is not finite, updates
  /// are skipped again and again, or a file cannot be written; summary.json then says so.
  Summary run();

 private:
  void loop();
  void account(const Step& step);
  void remark();
  bool pauses() const;
  bool over() const;
  void report(const Step& step, bool over);
  void keep(bool over);
  bool observes();
  void draw_grid();
  void write_checkpoint();
  void write_failure(const Error& error);
  std::uint64_t peak_bytes() const;
  Summary summary(const char* status) const;

  Trial& trial_;
  const RunFolder& folder_;
  Progress& progress_;
  Limits limits_;
  MetricsFile metrics_;
  Every metrics_every_, grid_every_;
  std::optional<Every> checkpoint_every_, monitor_every_;
  std::optional<JsonLines> monitor_;

  IterationTimes times_;
  std::int64_t epoch_;
  double setup_s_;
  double elapsed_;            ///< seconds of training, of all executions
  double output_s_ = 0;       ///< seconds for grids, checkpoints and the monitor
  double since_metrics_ = 0;  ///< seconds and iterations since the last line of metrics
  std::int64_t iterations_since_metrics_ = 0;
  std::int64_t grid_at_ = -1;  ///< iteration of the last grid
  bool remarked_ = false;
  RunFigures latest_;  ///< of the last iteration that was reported, also by an earlier execution
};

/// Sets a trial up in its folder, continues from its newest checkpoint where there is one, and trains. Throws
/// Error (usage) where another process runs it, or has begun it and `resume` is false.
Summary run_trial(const Experiment& experiment, const Registry& registry, const RunFolder& folder,
                  Progress& progress, bool resume);

}  // namespace halfling
