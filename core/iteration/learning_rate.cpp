// SPDX-License-Identifier: Apache-2.0
#include "iteration/learning_rate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "halfling/error.hpp"

namespace halfling {
namespace {

std::int64_t at_least_one(double iterations) {
  return static_cast<std::int64_t>(std::clamp(std::round(iterations), 1.0, 0x1p53));
}

std::int64_t iterations_of(const TrainingLength& length, const TrainingUnits& units) {
  if (length.iterations > 0) return length.iterations;
  if (length.samples > 0)
    return at_least_one(
        std::ceil(static_cast<double>(length.samples) / static_cast<double>(units.samples_per_iteration)));
  if (length.epochs > 0) return at_least_one(length.epochs * static_cast<double>(units.iterations_per_epoch));
  if (!units.iterations) throw std::logic_error("a share of a budget that does not count");
  return at_least_one(length.percent / 100 * static_cast<double>(*units.iterations));
}

Error no_room(const std::string& where, std::int64_t warmup, std::int64_t length) {
  return Error({.what = "the warm-up leaves nothing of the schedule, whose length it is part of",
                .where = where + ".warmup",
                .got = fmt::format("a warm-up of {} iterations", warmup),
                .expected = fmt::format("less than the {} iterations of {}.length", length, where),
                .hint = "lower the warm-up, or give the schedule a greater length",
                .kind = ErrorKind::usage});
}

}  // namespace

std::optional<std::int64_t> iterations_of(const Budget& budget, std::int64_t samples_per_iteration,
                                          std::int64_t iterations_per_epoch) {
  std::optional<std::int64_t> least = budget.iterations;
  const auto at_most = [&](std::int64_t count) { least = least ? std::min(*least, count) : count; };
  constexpr std::int64_t forever = std::numeric_limits<std::int64_t>::max();
  if (budget.epochs)
    at_most(*budget.epochs > forever / iterations_per_epoch ? forever
                                                            : *budget.epochs * iterations_per_epoch);
  if (budget.samples)
    at_most(*budget.samples / samples_per_iteration + (*budget.samples % samples_per_iteration != 0 ? 1 : 0));
  return least;
}

TrainingUnits units_of(const Budget& budget, std::int64_t samples_per_iteration,
                       std::int64_t iterations_per_epoch) {
  return {samples_per_iteration, iterations_per_epoch,
          iterations_of(budget, samples_per_iteration, iterations_per_epoch)};
}

ScheduleAttributes schedule_in_updates(const ScheduleSettings& settings, double rate,
                                       const TrainingUnits& units, const std::string& where,
                                       const Rhythm& rhythm) {
  using enum ScheduleAttributes::Kind;
  ScheduleAttributes result{.kind = settings.kind, .rate = rate};
  const std::int64_t warmup = settings.warmup ? iterations_of(*settings.warmup, units) : 0;
  result.warmup = rhythm.runs(warmup);
  result.warmup_factor = settings.warmup_factor;
  if (settings.kind == linear || settings.kind == cosine) {
    const std::int64_t length = iterations_of(settings.length, units);
    if (warmup >= length) throw no_room(where, warmup, length);
    result.length = std::max<std::int64_t>(1, rhythm.runs(length) - result.warmup);
    result.end_factor = settings.end_factor;
  }
  if (settings.kind == step) {
    result.every = rhythm.runs(iterations_of(settings.every, units));
    result.factor = settings.factor;
  }
  return result;
}

Value learning_rate(Graph& graph, const ScheduleAttributes& schedule, Value step) {
  if (schedule.kind == ScheduleAttributes::Kind::constant && schedule.warmup == 0)
    return constant(graph, schedule.rate, {}, schedule.dtype);
  return {&graph, graph.append_value(Op::schedule, {step}, schedule)};
}

}  // namespace halfling
