// SPDX-License-Identifier: Apache-2.0
#include "train/tally.hpp"

#include <limits>

#include "measure/memory.hpp"

namespace halfling {
namespace {

constexpr double not_measured = std::numeric_limits<double>::quiet_NaN();

}  // namespace

Tally::Tally(Trial& trial, const RunDescription& run, const Limits& limits, RunMetrics before)
    : trial_(trial),
      run_(run),
      limits_(limits),
      setup_s_(run.setup_s),
      latest_(std::move(before)),
      epoch_(latest_.epoch),
      elapsed_(latest_.elapsed) {
  if (!latest_.operations.empty()) return;
  for (const std::string& operation : trial.iteration().operations)
    latest_.operations.push_back({operation, not_measured, not_measured, 0, 0});
}

void Tally::count(const IterationOutcome& outcome) {
  times_.add(outcome.seconds, outcome.waited);
  elapsed_ += outcome.seconds;
  output_s_ += outcome.observing;
  since_due_ += outcome.seconds;
  ++iterations_since_due_;
  epoch_ = outcome.epoch;
}

const RunMetrics& Tally::metrics(const IterationOutcome& outcome, bool due, bool ends) {
  const std::int64_t done = trial_.iterations_done();
  const double batch = static_cast<double>(run_.samples_per_iteration);
  const double mean = times_.mean_seconds() > 0 ? times_.mean_seconds() : outcome.seconds;
  latest_ = {.iteration = done,
             .epoch = epoch_,
             .elapsed = elapsed_,
             .images_per_s = batch * static_cast<double>(iterations_since_due_) / since_due_,
             .mean_images_per_s = batch / mean,
             .last = limits_.iterations,
             .time_used = limits_.time_used(elapsed_),
             .left = limits_.left(done, elapsed_, mean),
             .ends = ends,
             .input_wait_share = input_wait_share(),
             .output_s = output_s_,
             .operations = trial_.metrics(outcome.losses)};
  if (due) {
    since_due_ = 0;
    iterations_since_due_ = 0;
  }
  return latest_;
}

double Tally::input_wait_share() const {
  return times_.timed_iterations() > 0 ? times_.input_wait_share() : not_measured;
}

/// Of the device, where it has memory of its own.
std::uint64_t Tally::peak_bytes() const {
  const std::uint64_t device = trial_.session().peak_device_bytes();
  return device != 0 ? device : peak_resident();
}

Summary Tally::summary(std::string status) const {
  const bool trained = times_.warmup_iterations() > 0;  // not only closed a run that had come to its end
  Summary summary{run_};
  summary.status = std::move(status);
  summary.iterations = trial_.iterations_done();
  summary.samples = summary.iterations * run_.samples_per_iteration;
  summary.wall_s = elapsed_;
  summary.setup_s = setup_s_;
  summary.output_s = output_s_;
  summary.warmup_iterations = times_.warmup_iterations();
  summary.timed_iterations = times_.timed_iterations();
  summary.ms_per_iteration = times_.milliseconds();
  summary.input_wait_share = input_wait_share();
  if (trained) summary.disturbance = disturbance_.so_far();
  summary.peak_bytes = trained ? peak_bytes() : 0;
  summary.planned = trial_.planned();
  summary.operations = latest_.operations;
  return summary;
}

}  // namespace halfling
