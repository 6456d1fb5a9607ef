// SPDX-License-Identifier: Apache-2.0
#include "compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace halfling::conformance {
namespace {

struct Format {
  int fraction_bits;
  int least_exponent;
};

Format format_of(DType dtype) {
  switch (dtype) {
    case DType::f64:
      return {52, -1022};
    case DType::tf32:
      return {10, -126};
    case DType::f16:
      return {10, -14};
    case DType::bf16:
      return {7, -126};
    default:
      return {23, -126};
  }
}

/// How far off, to find the worst; anything not finite is infinitely far.
double distance(double got, double expected) {
  if (!std::isfinite(got) || !std::isfinite(expected)) return std::numeric_limits<double>::infinity();
  return std::abs(got - expected);
}

bool all_finite(const HostValue& value) {
  for (std::size_t i = 0; i < value.size(); ++i)
    if (!std::isfinite(value.at(i))) return false;
  return true;
}

}  // namespace

double ulp(DType dtype, double value) {
  if (!is_float(dtype) || !std::isfinite(value)) return 0;
  const Format format = format_of(dtype);
  const int exponent =
      value == 0 ? format.least_exponent : std::max(std::ilogb(value), format.least_exponent);
  return std::ldexp(1.0, exponent - format.fraction_bits);
}

bool agrees(DType dtype, double got, double expected, const Tolerance& tolerance) {
  if (got == expected || (std::isnan(got) && std::isnan(expected))) return true;
  if (tolerance.contraction && !std::isfinite(expected)) return !std::isfinite(got);
  if (!std::isfinite(got) || !std::isfinite(expected)) return false;
  const double allowed = tolerance.ulps * ulp(dtype, expected) + tolerance.relative * std::abs(expected);
  return std::abs(got - expected) <= allowed + tolerance.absolute;
}

std::string difference(const HostValue& got, const HostValue& expected, const Tolerance& tolerance) {
  if (got.dtype != expected.dtype || got.shape != expected.shape)
    return fmt::format("got {} {}, expected {} {}", name_of(got.dtype), got.shape.text(),
                       name_of(expected.dtype), expected.shape.text());
  const bool takes_nan = tolerance.contraction && !all_finite(expected);
  std::size_t wrong = 0;
  std::size_t worst = 0;
  double worst_distance = -1;
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (takes_nan && std::isnan(got.at(i))) continue;
    if (agrees(got.dtype, got.at(i), expected.at(i), tolerance)) continue;
    ++wrong;
    if (const double far = distance(got.at(i), expected.at(i)); far > worst_distance) {
      worst = i;
      worst_distance = far;
    }
  }
  if (wrong == 0) return {};
  return fmt::format("{} of {} elements differ, worst at {}: got {}, expected {}", wrong, got.size(), worst,
                     got.at(worst), expected.at(worst));
}

bool all_zero(const HostValue& value) {
  for (std::size_t i = 0; i < value.size(); ++i)
    if (value.at(i) != 0) return false;
  return true;
}

}  // namespace halfling::conformance
