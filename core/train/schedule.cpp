// SPDX-License-Identifier: Apache-2.0
#include "train/schedule.hpp"

#include <algorithm>
#include <cmath>

#include "iteration/learning_rate.hpp"

namespace halfling {

bool Limits::reached(std::int64_t iteration, double elapsed) const {
  return (iterations && iteration >= *iterations) || (seconds && elapsed >= *seconds);
}

Limits Limits::part(std::size_t block, std::size_t blocks) const {
  if (block >= blocks) return *this;
  Limits result = *this;
  const double share = static_cast<double>(block) / static_cast<double>(blocks);
  if (iterations)
    result.iterations = static_cast<std::int64_t>(std::ceil(share * static_cast<double>(*iterations)));
  if (seconds) result.seconds = share * *seconds;
  return result;
}

std::optional<double> Limits::time_used(double elapsed) const {
  if (!seconds) return std::nullopt;
  return std::min(elapsed / *seconds, 1.0);
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

Limits limits_of(const Budget& budget, std::int64_t samples_per_iteration,
                 std::int64_t iterations_per_epoch) {
  return {iterations_of(budget, samples_per_iteration, iterations_per_epoch), budget.time};
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
