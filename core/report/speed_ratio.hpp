// SPDX-License-Identifier: Apache-2.0
// How many times as fast, and how sure that is.
#pragma once

#include <span>
#include <vector>

#include "measure/statistics.hpp"

namespace halfling {

struct TimedRun {
  Quantiles ms;                    ///< an iteration
  std::vector<double> block_ms{};  ///< medians of its blocks, where it took turns with others
};

/// Two runs that differ in precision alone, from one seed.
struct TimedPair {
  TimedRun baseline, other;
};

struct SpeedRatio {
  double value = 0;          ///< the baseline's time over the other's
  double low = 0, high = 0;  ///< the interval, see speed_ratio()
  std::size_t seeds = 0;     ///< that the interval is of
  std::size_t ratios = 0;    ///< that it is of; more than the seeds where there were blocks

  /// The interval leaves 1 out.
  bool measurable() const { return low > 1 || high < 1; }
};

/// Of two ratios and more, their geometric mean with its 95 % confidence interval: Student's t over their
/// logarithms. A pair whose runs took turns has a ratio for each block that both trained (they count from the
/// last, since a resumed run may lack the first), another one that of its medians. Of a single ratio, from
/// p10 of the baseline over p90 of the other to p90 over p10: how far single iterations scatter, which says
/// nothing of other runs. At least one pair; times are above zero.
SpeedRatio speed_ratio(std::span<const TimedPair> pairs);

}  // namespace halfling
