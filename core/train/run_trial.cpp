// SPDX-License-Identifier: Apache-2.0
#include "train/run_trial.hpp"

#include <chrono>
#include <memory>

#include "measure/memory.hpp"
#include "run/checkpoint.hpp"
#include "run/initial_weights.hpp"
#include "run/origin.hpp"
#include "train/own_reporters.hpp"
#include "train/trainer.hpp"

namespace halfling {

std::optional<Summary> finished(const RunFolder& folder, const Limits& limits) {
  std::optional<Summary> run = folder.ended();
  if (run && !limits.reached(run->iterations, run->wall_s)) run.reset();
  return run;
}

namespace {

/// An interrupted run that has come as far as it is asked for now is done, and has its figures.
std::optional<Summary> finish_interrupted(const RunFolder& folder, std::int64_t iteration,
                                          const Limits& limits) {
  std::optional<Summary> run = read_summary(folder.summary());
  if (!run || run->status != "interrupted" || run->iterations != iteration ||
      !limits.reached(iteration, run->wall_s))
    return std::nullopt;
  run->status = "done";
  write_summary(folder.summary(), *run);
  return run;
}

/// What is known of the iteration that the trial stands after.
RunMetrics standing(const MetricsFile& metrics, const CheckpointLabel& start) {
  RunMetrics last = metrics.kept();
  if (last.iteration != start.iteration) last.operations.clear();  // its line is lost
  last.iteration = start.iteration;
  last.epoch = start.epoch;
  last.elapsed = metrics.elapsed();
  return last;
}

/// Of [[reporter]], in order.
std::vector<std::unique_ptr<Reporter>> make_reporters(const Experiment& experiment,
                                                      const Registry& registry) {
  std::vector<std::unique_ptr<Reporter>> reporters;
  for (const NamedChoice& element : experiment.reporters)
    reporters.push_back(registry.create<Reporter>(element.use, element.options));
  return reporters;
}

/// Before there is a folder, so that what does not fit leaves none. A run that goes on has weights of its
/// own.
std::optional<InitialWeights> initial_weights(const Experiment& experiment, Trial& trial,
                                              const RunFolder& folder) {
  if (!experiment.init_from || newest_checkpoint(folder.checkpoints())) return std::nullopt;
  return take_initial_weights(*experiment.init_from, trial.states(), trial.session());
}

/// The part of a process that writes no files.
Summary follow(Trial& trial, const RunFolder& folder) {
  CheckpointLabel start = trial.label(0);
  if (const auto checkpoint = newest_checkpoint(folder.checkpoints())) start = trial.resume(*checkpoint);
  RunMetrics before;
  before.iteration = start.iteration;
  before.epoch = start.epoch;
  Reporters nobody({});
  Turn whole;
  return Trainer(trial, folder, nullptr, nobody, 0, before, whole).run();
}

}  // namespace

Summary run_trial(const Experiment& experiment, const Registry& registry, const RunFolder& folder,
                  Progress& progress, bool resume, const std::vector<NamedReporter>& others, World world,
                  Turn* turn) {
  Turn whole;
  if (turn == nullptr) turn = &whole;
  begin_peak();
  const auto begin = std::chrono::steady_clock::now();
  Trial trial(experiment, registry, world);
  if (!world.writes_files()) return follow(trial, folder);
  const Limits limits =
      limits_of(experiment.budget, trial.samples_per_iteration(), trial.iterations_per_epoch());
  const std::optional<InitialWeights> given_weights = initial_weights(experiment, trial, folder);
  folder.create();
  FolderLock lock = folder.lock();
  // Another process may have begun this trial, or brought it to its end, while this one was set up.
  const std::optional<Summary> known = finished(folder, limits);
  if (!resume) folder.refuse_begun(known.has_value());
  if (known) return *known;
  CheckpointLabel start = trial.label(0);
  const auto checkpoint = newest_checkpoint(folder.checkpoints());
  std::vector<std::string> notes;
  if (checkpoint) {
    start = trial.resume(*checkpoint);
  } else if (given_weights) {
    write_initial_weights(folder.path() / "initial_weights.json", *given_weights);
    notes.push_back(given_weights->text());
  }
  if (!turn->continues)
    for (std::string& change :
         write_origin(folder, experiment,
                      {trial.platform(), trial.iteration().graph, trial.executable(), trial.dataset()},
                      registry, checkpoint.has_value()))
      notes.push_back(std::move(change));
  if (checkpoint) {
    if (const auto summary = finish_interrupted(folder, start.iteration, limits)) return *summary;
    begin_peak();  // the checkpoint was read, and a run that was never cut has no such thing in memory
  }
  OwnReporters own(experiment, folder, start.iteration, progress);
  const std::vector<std::unique_ptr<Reporter>> given = make_reporters(experiment, registry);
  std::vector<NamedReporter> all = own.list();
  for (std::size_t i = 0; i < given.size(); ++i)
    all.push_back({given[i].get(), experiment.reporters[i].name, experiment.reporters[i].required});
  all.insert(all.end(), others.begin(), others.end());
  Reporters reporters(all);
  for (const std::string& note : notes) reporters.note(note);
  // Until it has one of its own: that of the execution before would tell another state.
  std::error_code none;
  std::filesystem::remove(folder.summary(), none);
  const std::chrono::duration<double> setup = std::chrono::steady_clock::now() - begin;
  return Trainer(trial, folder, &lock, reporters, setup.count(), standing(own.metrics(), start), *turn).run();
}

}  // namespace halfling
