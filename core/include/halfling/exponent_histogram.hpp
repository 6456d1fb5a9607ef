// SPDX-License-Identifier: Apache-2.0
// How many numbers have which binary exponent, and what a half format makes of them.
#pragma once

#include <array>
#include <cstdint>

#include "halfling/dtype.hpp"
#include "halfling/export.hpp"
#include "halfling/op.hpp"

namespace halfling {

/// The range of a half format, by binary exponents of the numbers before rounding. Bins are powers of two, so
/// a number at the very edge (2^-25 itself in f16, 65520 to 65536) counts with its bin.
struct HalfLimits {
  int smallest_subnormal;  ///< -24: numbers below half of it become zero
  int smallest_normal;     ///< -14
  int largest;             ///< 15: the exponent of the largest finite number
};
constexpr HalfLimits limits_of(DType half) {
  return half == DType::f16 ? HalfLimits{-24, -14, 15} : HalfLimits{-133, -126, 127};
}

/// Shares of all elements, 0 to 1.
struct HalfShares {
  double zero = 0;       ///< zero before any rounding
  double underflow = 0;  ///< would be rounded to zero
  double subnormal = 0;  ///< would keep fewer digits
  double overflow = 0;   ///< would become infinite
  double nonfinite = 0;  ///< infinite or NaN before any rounding
};

struct HALFLING_API ExponentHistogram {
  std::array<std::int64_t, histogram_counts> counts{};  ///< as Op::exponent_histogram orders them

  std::int64_t elements() const;
  std::int64_t zeros() const { return counts.front(); }
  std::int64_t nonfinite() const { return counts.back(); }
  std::int64_t of_exponent(int e) const { return counts[static_cast<std::size_t>(1 + e - least_exponent)]; }
  /// Elements with an exponent of [first, last].
  std::int64_t between(int first, int last) const;
  /// All zero for a histogram of nothing.
  HalfShares shares(DType half) const;
  ExponentHistogram& operator+=(const ExponentHistogram& other);
  bool operator==(const ExponentHistogram&) const = default;
};

}  // namespace halfling
