// SPDX-License-Identifier: Apache-2.0
// The loop around a trial: iterations until the budget is used up or an interrupt comes. On the way it keeps
// checkpoints and tells reporters what happens. A checkpoint is its own affair, and comes before the grid: no
// output that fails costs what was trained.
#pragma once

#include "run/checkpoint_writer.hpp"
#include "run/run_folder.hpp"
#include "train/agenda.hpp"
#include "train/reporters.hpp"
#include "train/tally.hpp"
#include "train/trial.hpp"

namespace halfling {

class Trainer {
 public:
  /// The trial is at its first iteration or was resumed at `run.iteration`; see Tally of `before`. setup_s:
  /// seconds that it took to make.
  /// `lock` is renewed before each checkpoint; null in a process that writes no files.
  Trainer(Trial& trial, const RunFolder& folder, FolderLock* lock, Reporters& reporters, double setup_s,
          RunMetrics before, Turn& turn);

  /// Trains to the end of the turn or to an interrupt, which ends after the running iteration; either way the
  /// last state is in a checkpoint and the reporters have the summary. Throws Error where a loss is not
  /// finite, updates are skipped again and again, a checkpoint cannot be written or a required reporter
  /// failed: the last state is kept then, too, wherever it is sound.
  Summary run();

 private:
  void loop();
  bool iterate();
  void tell(const IterationOutcome& outcome);
  void check(const IterationOutcome& outcome);
  void tell_metrics(const IterationOutcome& outcome, bool due, bool ends);
  void remark();
  bool pauses() const;
  bool over() const;
  void save(bool wait);
  void tell_written(const std::optional<CheckpointWritten>& checkpoint);
  void draw_grid();
  void draw_data();
  void tell_failure(const std::exception& error);

  Trial& trial_;
  Reporters& reporters_;
  Limits limits_, turn_end_;
  RunDescription run_;
  Tally tally_;
  Agenda agenda_;
  CheckpointWriter checkpoints_;
  FolderLock* lock_;
  std::filesystem::path data_sheet_;
  std::int64_t grid_at_ = -1;  ///< iteration of the last grid
  bool remarked_ = false, trained_ = false;
  bool continues_;  ///< after a block of this process
};

}  // namespace halfling
