// SPDX-License-Identifier: Apache-2.0
#include "halfling/exponent_histogram.hpp"

#include <algorithm>
#include <numeric>

namespace halfling {

std::int64_t ExponentHistogram::elements() const {
  return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
}

std::int64_t ExponentHistogram::between(int first, int last) const {
  std::int64_t sum = 0;
  for (int e = std::max(first, least_exponent); e <= std::min(last, greatest_exponent); ++e)
    sum += of_exponent(e);
  return sum;
}

HalfShares ExponentHistogram::shares(DType half) const {
  const std::int64_t all = elements();
  if (all == 0) return {};
  const HalfLimits limits = limits_of(half);
  const auto share = [&](std::int64_t count) {
    return static_cast<double>(count) / static_cast<double>(all);
  };
  const int rounded_up = limits.smallest_subnormal - 1;  // from half of the smallest number on
  return {share(zeros()), share(between(least_exponent, rounded_up - 1)),
          share(between(rounded_up, limits.smallest_normal - 1)),
          share(between(limits.largest + 1, greatest_exponent)), share(nonfinite())};
}

ExponentHistogram& ExponentHistogram::operator+=(const ExponentHistogram& other) {
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += other.counts[i];
  return *this;
}

}  // namespace halfling
