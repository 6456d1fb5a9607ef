// SPDX-License-Identifier: Apache-2.0
// How many times as fast, and how sure that is.
#pragma once

#include <span>

#include "measure/statistics.hpp"

namespace halfling {

/// Milliseconds an iteration of two runs that differ in precision alone, from one seed.
struct TimedPair {
  Quantiles baseline, other;
};

struct SpeedRatio {
  double value = 0;          ///< the baseline's time over the other's
  double low = 0, high = 0;  ///< the interval, see speed_ratio()
  std::size_t seeds = 0;     ///< that the interval is of

  /// The interval leaves 1 out.
  bool measurable() const { return low > 1 || high < 1; }
};

/// Of two seeds and more, the geometric mean of the medians' ratios with its 95 % confidence interval:
/// Student's t over the logarithms of the ratios, one ratio a seed. Of one seed, the ratio of the medians,
/// from p10 of the baseline over p90 of the other to p90 over p10: how far single iterations scatter, which
/// says nothing of other runs. At least one pair; times are above zero.
SpeedRatio speed_ratio(std::span<const TimedPair> pairs);

}  // namespace halfling
