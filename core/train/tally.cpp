// SPDX-License-Identifier: Apache-2.0
#include "train/tally.hpp"

#include <algorithm>
#include <limits>

#include "measure/memory.hpp"

namespace halfling {
namespace {

constexpr double not_measured = std::numeric_limits<double>::quiet_NaN();

}  // namespace

Tally::Tally(Trial& trial, const RunDescription& run, const Limits& limits, RunMetrics before, Turn& turn)
    : trial_(trial),
      run_(run),
      limits_(limits),
      in_blocks_(turn.blocks > 1),
      measured_(turn.measured),
      latest_(std::move(before)),
      epoch_(latest_.epoch),
      elapsed_(latest_.elapsed) {
  measured_.setup_s += run.setup_s;
  measured_.times.begin_block();
  if (!latest_.operations.empty()) return;
  for (const std::string& operation : trial.iteration().operations)
    latest_.operations.push_back({operation, not_measured, not_measured, 0, 0});
}

void Tally::count(const IterationOutcome& outcome) {
  measured_.times.add(outcome.seconds, outcome.waited);
  elapsed_ += outcome.seconds;
  measured_.output_s += outcome.observing;
  since_due_ += outcome.seconds;
  ++iterations_since_due_;
  epoch_ = outcome.epoch;
}

const RunMetrics& Tally::metrics(const IterationOutcome& outcome, bool due, bool ends) {
  measure_energy();
  const std::int64_t done = trial_.iterations_done();
  const double batch = static_cast<double>(run_.samples_per_iteration);
  const double mean = measured_.times.mean_seconds() > 0 ? measured_.times.mean_seconds() : outcome.seconds;
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
             .output_s = measured_.output_s,
             .operations = trial_.metrics(outcome.losses)};
  if (due) {
    since_due_ = 0;
    iterations_since_due_ = 0;
  }
  return latest_;
}

double Tally::input_wait_share() const {
  return measured_.times.timed_iterations() > 0 ? measured_.times.input_wait_share() : not_measured;
}

/// Memory of the device, where it has some of its own. Of several blocks, the highest peak and the worst
/// disturbance.
void Tally::measure_machine() {
  const std::uint64_t device = trial_.session().peak_device_bytes();
  measured_.peak_bytes = std::max(measured_.peak_bytes, device != 0 ? device : peak_resident());
  const Disturbance now = disturbance_.so_far();
  if (!(measured_.disturbance.processor_wait_share > now.processor_wait_share)) measured_.disturbance = now;
}

void Tally::measure_energy() {
  const std::optional<double> now = energy_.joules();
  if (!now) return;
  measured_.joules = measured_.joules.value_or(0) + *now - energy_before_;
  energy_before_ = *now;
}

Summary Tally::summary(std::string status) {
  // Else a run that had come to its end was only closed.
  if (measured_.times.warmup_iterations() > 0) measure_machine();
  measure_energy();
  Summary summary{run_};
  summary.status = std::move(status);
  summary.iterations = trial_.iterations_done();
  summary.samples = summary.iterations * run_.samples_per_iteration;
  summary.wall_s = elapsed_;
  summary.setup_s = measured_.setup_s;
  summary.output_s = measured_.output_s;
  summary.warmup_iterations = measured_.times.warmup_iterations();
  summary.timed_iterations = measured_.times.timed_iterations();
  summary.ms_per_iteration = measured_.times.milliseconds();
  if (in_blocks_) summary.block_ms = measured_.times.block_medians();
  summary.input_wait_share = input_wait_share();
  summary.disturbance = measured_.disturbance;
  summary.joules = measured_.joules;
  summary.executed_iterations = summary.warmup_iterations + summary.timed_iterations;
  summary.peak_bytes = measured_.peak_bytes;
  summary.planned = trial_.planned();
  summary.operations = latest_.operations;
  return summary;
}

}  // namespace halfling
