// SPDX-License-Identifier: Apache-2.0
#include "report/speed_ratio.hpp"

#include <cmath>
#include <vector>

#include "measure/confidence.hpp"

namespace halfling {

SpeedRatio speed_ratio(std::span<const TimedPair> pairs) {
  const Quantiles &baseline = pairs.front().baseline, &other = pairs.front().other;
  if (pairs.size() == 1)
    return {baseline.median / other.median, baseline.p10 / other.p90, baseline.p90 / other.p10, 1};
  std::vector<double> logarithms;
  for (const TimedPair& pair : pairs)
    logarithms.push_back(std::log(pair.baseline.median / pair.other.median));
  const MeanInterval interval = mean_interval(logarithms);
  return {std::exp(interval.mean), std::exp(interval.low), std::exp(interval.high), pairs.size()};
}

}  // namespace halfling
