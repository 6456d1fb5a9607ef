// SPDX-License-Identifier: Apache-2.0
// The learning rate of a training operation: the optimizer's, by the schedule of the experiment.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "experiment/experiment.hpp"
#include "halfling/builder.hpp"
#include "iteration/cycle.hpp"

namespace halfling {

/// What the lengths of an experiment are measured in.
struct TrainingUnits {
  std::int64_t samples_per_iteration = 1;
  std::int64_t iterations_per_epoch = 1;
  std::optional<std::int64_t> iterations = std::nullopt;  ///< of the budget, where it counts
};

/// Epochs and samples as whole iterations (a last, incomplete one counts as one more); the least of all.
std::optional<std::int64_t> iterations_of(const Budget& budget, std::int64_t samples_per_iteration,
                                          std::int64_t iterations_per_epoch);
TrainingUnits units_of(const Budget& budget, std::int64_t samples_per_iteration,
                       std::int64_t iterations_per_epoch);

/// Lengths, which are iterations, epochs (rounded) and shares of the budget (rounded), as the updates that an
/// operation of this rhythm makes in them. `where`: the table, "optimizer.schedule". Throws Error (usage)
/// where the warm-up leaves nothing of the length.
ScheduleAttributes schedule_in_updates(const ScheduleSettings& settings, double rate,
                                       const TrainingUnits& units, const std::string& where,
                                       const Rhythm& rhythm = {});

/// The rate of update number `step` (i32 scalar): a constant, or computed on the device.
Value learning_rate(Graph& graph, const ScheduleAttributes& schedule, Value step);

}  // namespace halfling
