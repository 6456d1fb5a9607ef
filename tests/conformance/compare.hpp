// SPDX-License-Identifier: Apache-2.0
// When two values count as the same.
#pragma once

#include <string>

#include "host_value.hpp"

namespace halfling::conformance {

/// |got - expected| <= ulps * ulp(expected, in the value's format) + relative * |expected| + absolute. The
/// default: no difference.
struct Tolerance {
  double ulps = 0;
  double relative = 0;
  double absolute = 0;
  bool contraction = false;  ///< what is not finite is judged as op.hpp says of contractions
};

/// The distance between neighbouring values of a floating format around `value` (0 for an integer format).
double ulp(DType dtype, double value);

/// Whether one element agrees. A NaN agrees with any NaN, an infinity only with itself (of a contraction:
/// both with whatever is not finite), -0 with 0.
bool agrees(DType dtype, double got, double expected, const Tolerance& tolerance);

/// Empty where all elements agree (of a contraction, a NaN may also stand for a finite element beside one
/// that is not expected to be finite); else how many do not, and the worst of them: "3 of 60 elements differ,
/// worst at 17: got 2.5, expected 2".
std::string difference(const HostValue& got, const HostValue& expected, const Tolerance& tolerance);

bool all_zero(const HostValue& value);

}  // namespace halfling::conformance
