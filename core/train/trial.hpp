// SPDX-License-Identifier: Apache-2.0
// A trial, set up: plugins made, data set open, iteration and sampling graphs compiled in one session, states
// at their initial values.
//
//   Trial trial(experiment, registry);
//   const IterationOutcome step = trial.iterate();  // one iteration
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "halfling/dataset.hpp"
#include "halfling/run.hpp"
#include "input/batch_source.hpp"
#include "iteration/iteration.hpp"
#include "plan/platform.hpp"
#include "run/checkpoint.hpp"
#include "train/data_sheet.hpp"
#include "train/monitor.hpp"
#include "train/profile.hpp"
#include "train/sampler.hpp"

namespace halfling {

/// One iteration, done.
struct IterationOutcome {
  std::vector<double> losses;  ///< by training operation: of this iteration, or of its last run
  std::int64_t epoch = 0;      ///< of its batch
  /// From asking for the batch to the losses on the host; while the device runs ahead, from the losses of the
  /// iteration before.
  double seconds = 0;
  double waited = 0;                 ///< of these, for the batch
  std::optional<std::size_t> stuck;  ///< a training operation whose skipped updates used up the patience
  double observing = 0;              ///< seconds of the numerics monitor, not part of the others
  std::vector<Observation> observations;
  std::size_t variant = 0;  ///< of the iteration's Cycle
};

class Trial {
 public:
  /// Throws Error (usage) for what the experiment has wrong: plugins, formats, names of operations, a batch
  /// larger than the data set. The experiment must outlive the trial.
  Trial(const Experiment& experiment, const Registry& registry, World world = {});

  const Experiment& experiment() const { return experiment_; }
  const Platform& platform() const { return platform_; }
  /// The iteration in which every phase runs: it has all operations and states.
  const IterationGraph& iteration() const { return variants_.front().iteration; }
  /// What it trains with: without the samples that are held out.
  const Dataset& dataset() const { return *dataset_; }
  const BatchSpec& spec() const { return spec_; }
  std::int64_t iterations_per_epoch() const { return source_->batches_per_epoch(); }
  /// Of all processes together.
  std::int64_t samples_per_iteration() const { return own_samples() * platform_.world.size; }
  std::int64_t iterations_done() const { return done_; }
  std::int64_t parameters() const;  ///< trainable elements

  /// Starts an iteration. With `observe`, the monitor looks first at what it is going to compute; no other
  /// iteration may then be under way.
  void start(bool observe = false);
  /// Waits for the oldest iteration under way.
  IterationOutcome finish();
  IterationOutcome iterate(bool observe = false) {
    start(observe);
    return finish();
  }
  /// Whether a second iteration may be started before the first is finished, so that the device never waits.
  bool runs_ahead() const { return variants_.front().executable->asynchronous(); }
  /// Whether the device's states are ahead of the iterations done.
  bool under_way() const { return started_ > done_; }
  /// Losses as given, with loss scales and skipped updates of the iteration that was finished last.
  std::vector<OperationMetrics> metrics(const std::vector<double>& losses);
  /// Whether the architecture has a generator.
  bool draws() const { return sampler_ != nullptr; }
  Image grid() { return sampler_->draw(); }
  /// Of the iteration that was started last.
  Image data_sheet(std::int64_t rows) const { return halfling::data_sheet(*batches_, spec_, rows); }

  CheckpointLabel label(std::int64_t epoch) const;
  const std::vector<State>& states() const { return iteration().graph.states(); }
  Session& session() { return *session_; }
  const Session& session() const { return *session_; }
  /// The iteration in which every phase runs, for profiles.
  Executable& executable() { return *variants_.front().executable; }
  const Executable& executable() const { return *variants_.front().executable; }
  /// Continues after a checkpoint of this trial; its label.
  CheckpointLabel resume(const std::filesystem::path& checkpoint);

  /// Where an iteration's time goes: the last batch again, step by step, for a second or two. Its updates are
  /// no training: the trial is of no use afterwards.
  WorkProfile profile() { return profile_iteration(iteration(), executable(), *batches_); }

  PlannedBytes planned() const;
  /// The last iteration once more, to find the first value that is not finite. The trial is of no use
  /// afterwards.
  Error nonfinite_error(const std::vector<double>& losses);
  /// As nonfinite_error, of an operation whose updates were skipped too often in a row.
  Error stuck_error(std::size_t operation);

 private:
  /// That this process reads for an iteration.
  std::int64_t own_samples() const { return spec_.batch * cycle_->batches(); }
  void make_components(const Registry& registry);
  /// An iteration of the Cycle; one executable each.
  struct Variant {
    IterationGraph iteration;
    std::unique_ptr<Executable> executable;
  };

  IterationGraph build(std::size_t variant, bool observe) const;
  void check_operation_names() const;
  void check_data_of(const CheckpointLabel& label, const std::filesystem::path& checkpoint) const;
  void compile();
  void make_sampler();
  std::optional<std::size_t> stuck_operation();
  double number(const std::string& output);

  const Experiment& experiment_;
  Platform platform_;
  std::unique_ptr<Dataset> dataset_;
  std::unique_ptr<LossScaler> scaler_;
  std::unique_ptr<Optimizer> optimizer_;
  std::map<std::string, std::unique_ptr<Optimizer>> optimizer_of_;
  std::unique_ptr<BatchSource> source_;
  BatchSpec spec_;
  std::optional<Cycle> cycle_;
  std::unique_ptr<Session> session_;
  std::vector<Variant> variants_;
  std::unique_ptr<Sampler> sampler_;  ///< where there is a generator
  std::unique_ptr<Monitor> monitor_;  ///< made for an experiment with an interval in [monitor]
  const Batch* batches_ = nullptr;    ///< of the iteration started last
  std::int64_t done_ = 0, started_ = 0;
  std::size_t finished_ = 0;  ///< variant of the iteration that was finished last

  // Of the iteration under way, and of the one after it.
  std::vector<IterationOutcome> open_;
  std::chrono::steady_clock::time_point begin_;  ///< of the oldest, or when the one before it was finished
  double waited_ = 0;                            ///< for input, up to then
};

}  // namespace halfling
