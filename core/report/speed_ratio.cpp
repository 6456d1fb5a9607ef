// SPDX-License-Identifier: Apache-2.0
#include "report/speed_ratio.hpp"

#include <algorithm>
#include <cmath>

#include "measure/confidence.hpp"

namespace halfling {
namespace {

void add_logarithms(const TimedPair& pair, std::vector<double>& logarithms) {
  const std::vector<double>&baseline = pair.baseline.block_ms, &other = pair.other.block_ms;
  const std::size_t blocks = std::min(baseline.size(), other.size());
  if (blocks < 2) logarithms.push_back(std::log(pair.baseline.ms.median / pair.other.ms.median));
  for (std::size_t i = blocks < 2 ? 0 : blocks; i > 0; --i)
    logarithms.push_back(std::log(baseline[baseline.size() - i] / other[other.size() - i]));
}

}  // namespace

SpeedRatio speed_ratio(std::span<const TimedPair> pairs) {
  std::vector<double> logarithms;
  for (const TimedPair& pair : pairs) add_logarithms(pair, logarithms);
  if (logarithms.size() == 1) {
    const Quantiles &baseline = pairs.front().baseline.ms, &other = pairs.front().other.ms;
    return {baseline.median / other.median, baseline.p10 / other.p90, baseline.p90 / other.p10, 1, 1};
  }
  const MeanInterval interval = mean_interval(logarithms);
  return {std::exp(interval.mean), std::exp(interval.low), std::exp(interval.high), pairs.size(),
          logarithms.size()};
}

}  // namespace halfling
