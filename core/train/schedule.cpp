// SPDX-License-Identifier: Apache-2.0
#include "train/schedule.hpp"

#include <algorithm>
#include <limits>

namespace halfling {

bool Limits::reached(std::int64_t iteration, double elapsed) const {
  return (iterations && iteration >= *iterations) || (seconds && elapsed >= *seconds);
}

std::optional<double> Limits::left(std::int64_t iteration, double elapsed,
                                   double seconds_per_iteration) const {
  std::optional<double> least;
  if (seconds) least = *seconds - elapsed;
  if (iterations && seconds_per_iteration > 0) {
    const double rest = static_cast<double>(*iterations - iteration) * seconds_per_iteration;
    least = least ? std::min(*least, rest) : rest;
  }
  if (least) least = std::max(*least, 0.0);
  return least;
}

Limits limits_of(const Budget& budget, std::int64_t batch_size, std::int64_t batches_per_epoch) {
  Limits limits{budget.iterations, budget.time};
  const auto at_most = [&](std::int64_t count) {
    limits.iterations = limits.iterations ? std::min(*limits.iterations, count) : count;
  };
  constexpr std::int64_t forever = std::numeric_limits<std::int64_t>::max();
  if (budget.epochs)
    at_most(*budget.epochs > forever / batches_per_epoch ? forever : *budget.epochs * batches_per_epoch);
  if (budget.samples) at_most(*budget.samples / batch_size + (*budget.samples % batch_size != 0 ? 1 : 0));
  return limits;
}

Every::Every(Interval interval, double elapsed) : interval_(interval), next_(elapsed + interval.seconds) {}

bool Every::would_be_due(std::int64_t iteration, double elapsed) const {
  if (interval_.iterations > 0) return iteration % interval_.iterations == 0;
  return interval_.seconds > 0 && elapsed >= next_;
}

bool Every::due(std::int64_t iteration, double elapsed) {
  if (!would_be_due(iteration, elapsed)) return false;
  if (interval_.iterations > 0) return true;
  next_ += interval_.seconds;
  if (next_ <= elapsed) next_ = elapsed + interval_.seconds;  // missed ones are not made up for
  return true;
}

}  // namespace halfling
