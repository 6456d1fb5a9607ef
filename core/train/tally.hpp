// SPDX-License-Identifier: Apache-2.0
// What a run has come to so far: its times, its metrics, its summary.
#pragma once

#include "measure/disturbance.hpp"
#include "measure/energy.hpp"
#include "measure/iteration_times.hpp"
#include "train/schedule.hpp"
#include "train/trial.hpp"
#include "train/turn.hpp"

namespace halfling {

class Tally {
 public:
  /// `before`: of the iteration that the trial stands after, by an earlier execution; without operations
  /// where they are not known. What is measured is added to the turn's.
  Tally(Trial& trial, const RunDescription& run, const Limits& limits, RunMetrics before, Turn& turn);

  void count(const IterationOutcome& outcome);
  /// Seconds for an output, not part of training.
  void count_output(double seconds) { measured_.output_s += seconds; }
  double elapsed() const { return elapsed_; }  ///< seconds of training, of all executions
  std::int64_t epoch() const { return epoch_; }

  /// After the iteration that was finished last; reads what it needs of the device. `due`: the next ones tell
  /// the images per second since these.
  const RunMetrics& metrics(const IterationOutcome& outcome, bool due, bool ends);
  Summary summary(std::string status);

 private:
  double input_wait_share() const;
  void measure_machine();
  void measure_energy();

  Trial& trial_;
  RunIdentity run_;
  Limits limits_;
  bool in_blocks_;
  Measured& measured_;
  RunMetrics latest_;
  DisturbanceMeter disturbance_;
  EnergyMeter energy_;
  double energy_before_ = 0;  ///< joules that are in the turn's already
  std::int64_t epoch_;
  double elapsed_;
  double since_due_ = 0;  ///< seconds and iterations since the last due metrics
  std::int64_t iterations_since_due_ = 0;
};

}  // namespace halfling
