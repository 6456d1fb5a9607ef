// SPDX-License-Identifier: Apache-2.0
#include "train/trainer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "halfling/error.hpp"
#include "measure/memory.hpp"
#include "report/png.hpp"
#include "train/interrupt.hpp"

namespace halfling {
namespace {

using Clock = std::chrono::steady_clock;

/// "3421", "26.14 million".
std::string count_text(std::int64_t count) {
  return count < 1000000 ? std::to_string(count)
                         : fmt::format("{:.2f} million", 1e-6 * static_cast<double>(count));
}

/// What is about to be trained, in a few lines for people.
std::vector<std::string> announcement(const Trial& trial) {
  const Engine& engine = trial.engine();
  const Dataset& data = trial.dataset();
  std::vector<std::string> lines{
      fmt::format("  backend {} ({}): {}; {}", engine.backend_name, engine.choice, engine.device.name,
                  engine.device.library),
      fmt::format("  {} images of {} in {} classes, {} iterations an epoch; {} parameters", data.size(),
                  data.sample_shape().text(), data.classes().size(), trial.batches_per_epoch(),
                  count_text(trial.parameters()))};
  for (const std::string& backend : engine.passed_over)
    lines.insert(lines.begin() + 1, fmt::format("  not on {}", backend));
  if (!engine.native())
    lines.push_back(fmt::format("  {} emulated on this device: this run shows numerics, never speed",
                                fmt::join(engine.emulated, " and ")));
  if (trial.iterations_done() > 0)
    lines.push_back(fmt::format("  continues after iteration {}", trial.iterations_done()));
  return lines;
}

constexpr double not_measured = std::numeric_limits<double>::quiet_NaN();

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

std::optional<Every> schedule_of(const std::optional<Interval>& interval, double elapsed) {
  if (!interval) return std::nullopt;
  return Every(*interval, elapsed);
}

}  // namespace

Trainer::Trainer(Trial& trial, const RunFolder& folder, Progress& progress, const CheckpointLabel& start,
                 double setup_s)
    : trial_(trial),
      folder_(folder),
      progress_(progress),
      limits_(limits_of(trial.experiment().budget, trial.experiment().input.batch_size,
                        trial.batches_per_epoch())),
      metrics_(folder.metrics(), start.iteration),
      metrics_every_(trial.experiment().metrics.every, metrics_.elapsed()),
      grid_every_(trial.experiment().sample.every, metrics_.elapsed()),
      checkpoint_every_(schedule_of(trial.experiment().checkpoint.every, metrics_.elapsed())),
      monitor_every_(schedule_of(trial.experiment().monitor.every, metrics_.elapsed())),
      epoch_(start.epoch),
      setup_s_(setup_s),
      elapsed_(metrics_.elapsed()),
      latest_(metrics_.kept()) {
  if (monitor_every_) monitor_.emplace(folder.monitor(), start.iteration);
  if (latest_.iteration == start.iteration && !latest_.operations.empty()) return;
  // The metrics are lost: what they said of the last iteration is not known.
  latest_.operations.clear();
  for (const std::string& operation : trial.iteration().operations)
    latest_.operations.push_back({operation, not_measured, not_measured, 0, 0});
}

Summary Trainer::run() {
  try {
    loop();
    const bool done = limits_.reached(trial_.iterations_done(), elapsed_);
    const Summary result = summary(done ? "done" : "interrupted");
    write_summary(folder_.summary(), result);
    return result;
  } catch (const Error& error) {
    write_failure(error);
    throw;
  }
}

void Trainer::loop() {
  draw_grid();
  bool ends = over();
  if (ends) keep(true);
  if (ends && !interrupted())
    progress_.note(
        "  had come to its end: the summary is written anew, with what is known; times are not measured");
  while (!ends) {
    if (!trial_.under_way()) trial_.start(observes());
    if (trial_.runs_ahead() && !pauses()) trial_.start();
    const Step step = trial_.finish();
    remark();
    account(step);
    ends = !trial_.under_way() && over();
    report(step, ends);
    if (!trial_.under_way()) keep(ends);
  }
  progress_.end_line();
}

void Trainer::account(const Step& step) {
  times_.add(step.seconds, step.waited);
  elapsed_ += step.seconds;
  output_s_ += step.observing;
  std::string lines;
  for (const Observation& observation : step.observations) lines += line_of(observation);
  if (!lines.empty()) monitor_->append(trial_.iterations_done(), lines);
  since_metrics_ += step.seconds;
  ++iterations_since_metrics_;
  epoch_ = step.epoch;
  const bool finite = std::ranges::all_of(step.losses, [](double loss) { return std::isfinite(loss); });
  if (finite && !step.stuck) return;
  report(step, true);
  throw finite ? trial_.stuck_error(*step.stuck) : trial_.nonfinite_error(step.losses);
}

/// Says once what is not as it should be.
void Trainer::remark() {
  const std::string remark = trial_.executable().remark();
  if (remarked_ || remark.empty()) return;
  progress_.note("  " + remark);
  remarked_ = true;
}

/// Of the next iteration; the first one is always looked at.
bool Trainer::observes() {
  if (!monitor_every_) return false;
  const std::int64_t next = trial_.iterations_done() + 1;
  return monitor_every_->due(next, elapsed_) || next == 1;
}

/// Whether something wants the states as the iteration under way leaves them. What comes due unforeseen waits
/// for the next one.
bool Trainer::pauses() const {
  const std::int64_t next = trial_.iterations_done() + 1;
  const auto due = [&](const Every& every, std::int64_t iteration) {
    return every.would_be_due(iteration, elapsed_);
  };
  return interrupted() || limits_.reached(next, elapsed_) || due(grid_every_, next) ||
         (checkpoint_every_ && due(*checkpoint_every_, next)) ||
         (monitor_every_ && due(*monitor_every_, next + 1));
}

bool Trainer::over() const {
  return interrupted() || limits_.reached(trial_.iterations_done(), elapsed_);
}

void Trainer::report(const Step& step, bool over) {
  const std::int64_t done = trial_.iterations_done();
  const bool line = metrics_every_.due(done, elapsed_) || over;
  const bool saves = !trial_.under_way() && checkpoint_every_ && checkpoint_every_->due(done, elapsed_);
  const bool shown = progress_.due() || over;
  if (!line && !saves && !shown) return;
  const auto batch = static_cast<double>(trial_.experiment().input.batch_size);
  latest_ = {done, epoch_, elapsed_, 0, {}, trial_.figures(step.losses)};
  if (line || saves) {  // a checkpoint's time of training stands in its line of metrics
    latest_.images_per_s = batch * static_cast<double>(iterations_since_metrics_) / since_metrics_;
    metrics_.append(latest_);
    since_metrics_ = 0;
    iterations_since_metrics_ = 0;
  }
  if (shown) {
    const double mean = times_.mean_seconds() > 0 ? times_.mean_seconds() : step.seconds;
    latest_.images_per_s = batch / mean;
    latest_.left = limits_.left(done, elapsed_, mean);
    progress_.show(latest_);
  }
  if (saves && !over) write_checkpoint();
}

void Trainer::keep(bool over) {
  if (grid_every_.due(trial_.iterations_done(), elapsed_) || over) draw_grid();
  if (over) write_checkpoint();
}

void Trainer::draw_grid() {
  if (grid_at_ == trial_.iterations_done()) return;
  const Clock::time_point begin = Clock::now();
  write_png(folder_.sample(trial_.iterations_done()), trial_.grid());
  grid_at_ = trial_.iterations_done();
  output_s_ += seconds_since(begin);
}

void Trainer::write_checkpoint() {
  const Clock::time_point begin = Clock::now();
  halfling::write_checkpoint(folder_.checkpoints(), trial_.experiment().checkpoint.keep, trial_.label(epoch_),
                             trial_.states(), trial_.session());
  output_s_ += seconds_since(begin);
}

void Trainer::write_failure(const Error& error) {
  progress_.end_line();
  Summary failed = summary("failed");
  failed.error = error.what();
  try {
    write_summary(folder_.summary(), failed);
  } catch (const Error&) {  // the first error tells more, and may be the cause
  }
}

/// Of the device, where it has memory of its own.
std::uint64_t Trainer::peak_bytes() const {
  const std::uint64_t device = trial_.session().peak_device_bytes();
  return device != 0 ? device : peak_resident();
}

Summary Trainer::summary(const char* status) const {
  const Experiment& experiment = trial_.experiment();
  const Engine& engine = trial_.engine();
  const bool trained = times_.warmup_iterations() > 0;  // not only closed a run that had come to its end
  return {.status = std::string(status),
          .error = {},
          .experiment = experiment.name,
          .trial = experiment.id,
          .label = experiment.label,
          .backend = engine.backend_name,
          .device = engine.device.name,
          .precision = experiment.precision.use,
          .native = engine.native(),
          .emulated = engine.emulated,
          .batch_size = experiment.input.batch_size,
          .iterations = trial_.iterations_done(),
          .samples = trial_.iterations_done() * experiment.input.batch_size,
          .wall_s = elapsed_,
          .setup_s = setup_s_,
          .output_s = output_s_,
          .warmup_iterations = times_.warmup_iterations(),
          .timed_iterations = times_.timed_iterations(),
          .ms_per_iteration = times_.milliseconds(),
          .images_per_s = times_.timed_iterations() > 0
                              ? static_cast<double>(experiment.input.batch_size) / times_.mean_seconds()
                              : not_measured,
          .input_wait_share = times_.timed_iterations() > 0 ? times_.input_wait_share() : not_measured,
          .peak_bytes = trained ? peak_bytes() : 0,
          .planned = trial_.planned(),
          .operations = latest_.operations};
}

Summary run_trial(const Experiment& experiment, const Registry& registry, const RunFolder& folder,
                  Progress& progress, bool resume) {
  begin_peak();
  const Clock::time_point begin = Clock::now();
  Trial trial(experiment, registry);
  folder.create();
  const FolderLock lock = folder.lock();
  // Another process may have begun this trial, or brought it to its end, while this one was set up.
  if (!resume) folder.refuse_begun();
  if (folder.finished()) return *read_summary(folder.summary());
  folder.write_origin(trial, registry);
  CheckpointLabel start = trial.label(0);
  if (const auto checkpoint = newest_checkpoint(folder.checkpoints())) {
    start = trial.resume(*checkpoint);
    begin_peak();  // the checkpoint was mapped, and a run that was never cut has no such thing in memory
  }
  progress.begin(trial.engine().native() ? "" : trial.engine().emulated.front() + " emulated");
  for (const std::string& line : announcement(trial)) progress.note(line);
  return Trainer(trial, folder, progress, start, seconds_since(begin)).run();
}

}  // namespace halfling
