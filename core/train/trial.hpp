// SPDX-License-Identifier: Apache-2.0
// A trial, set up: plugins made, data set open, iteration and sampling graphs compiled in one session, states
// at their initial values.
//
//   Trial trial(experiment, registry);
//   const Step step = trial.step();  // one iteration
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "halfling/dataset.hpp"
#include "input/batch_source.hpp"
#include "report/figures.hpp"
#include "report/summary.hpp"
#include "train/checkpoint.hpp"
#include "train/engine.hpp"
#include "train/iteration.hpp"
#include "train/monitor.hpp"
#include "train/sampler.hpp"

namespace halfling {

/// One iteration, done.
struct Step {
  std::vector<double> losses;  ///< by training operation
  std::int64_t epoch = 0;      ///< of its batch
  /// From asking for the batch to the losses on the host; while the device runs ahead, from the losses of the
  /// iteration before.
  double seconds = 0;
  double waited = 0;                 ///< of these, for the batch
  std::optional<std::size_t> stuck;  ///< a training operation whose skipped updates used up the patience
  double observing = 0;              ///< seconds of the numerics monitor, not part of the others
  std::vector<Observation> observations;
};

class Trial {
 public:
  /// Throws Error (usage) for what the experiment has wrong: plugins, formats, names of operations, a batch
  /// larger than the data set. The experiment must outlive the trial.
  Trial(const Experiment& experiment, const Registry& registry);

  const Experiment& experiment() const { return experiment_; }
  const Engine& engine() const { return engine_; }
  const IterationGraph& iteration() const { return iteration_; }
  const Dataset& dataset() const { return *dataset_; }
  std::int64_t batches_per_epoch() const { return source_->batches_per_epoch(); }
  std::int64_t iterations_done() const { return done_; }
  std::int64_t parameters() const;  ///< trainable elements

  /// Starts an iteration. With `observe`, the monitor looks first at what it is going to compute; no other
  /// iteration may then be under way.
  void start(bool observe = false);
  /// Waits for the oldest iteration under way.
  Step finish();
  Step step(bool observe = false) {
    start(observe);
    return finish();
  }
  /// Whether a second iteration may be started before the first is finished, so that the device never waits.
  bool runs_ahead() const { return step_->asynchronous(); }
  /// Whether the device's states are ahead of the iterations done.
  bool under_way() const { return started_ > done_; }
  /// Losses as given, with loss scales and skipped updates of the iteration that was finished last.
  std::vector<OperationFigures> figures(const std::vector<double>& losses);
  Image grid() { return sampler_->draw(); }

  CheckpointLabel label(std::int64_t epoch) const;
  const std::vector<State>& states() const { return iteration_.graph.states(); }
  const Session& session() const { return *session_; }
  Executable& executable() { return *step_; }  ///< the iteration, for profiles
  const Executable& executable() const { return *step_; }
  /// Continues after a checkpoint of this trial; its label.
  CheckpointLabel resume(const std::filesystem::path& checkpoint);

  PlannedBytes planned() const;
  /// The last iteration once more, to find the first value that is not finite. The trial is of no use
  /// afterwards.
  Error nonfinite_error(const std::vector<double>& losses);
  /// As nonfinite_error, of an operation whose updates were skipped too often in a row.
  Error stuck_error(std::size_t operation);

 private:
  void make_components(const Registry& registry);
  IterationGraph build(bool observe) const;
  void check_operation_names() const;
  void compile();
  std::optional<std::size_t> stuck_operation();
  double number(const std::string& output);

  const Experiment& experiment_;
  Engine engine_;
  std::unique_ptr<Dataset> dataset_;
  std::unique_ptr<LossScaler> scaler_;
  std::unique_ptr<Optimizer> optimizer_;
  std::map<std::string, std::unique_ptr<Optimizer>> optimizer_of_;
  std::unique_ptr<BatchSource> source_;
  BatchSpec spec_;
  IterationGraph iteration_;
  std::unique_ptr<Session> session_;
  std::unique_ptr<Executable> step_;
  std::unique_ptr<Sampler> sampler_;
  std::unique_ptr<Monitor> monitor_;  ///< made for an experiment with an interval in [monitor]
  const Batch* batch_ = nullptr;      ///< of the iteration started last
  std::int64_t done_ = 0, started_ = 0;

  // Of the iteration under way, and of the one after it.
  std::vector<Step> open_;
  std::chrono::steady_clock::time_point begin_;  ///< of the oldest, or when the one before it was finished
  double waited_ = 0;                            ///< for input, up to then
};

}  // namespace halfling
