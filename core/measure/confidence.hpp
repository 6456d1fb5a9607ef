// SPDX-License-Identifier: Apache-2.0
// How sure a mean is.
#pragma once

#include <span>

namespace halfling {

struct MeanInterval {
  double mean = 0, low = 0, high = 0;
};

/// The 95 % confidence interval by Student's t. At least two values.
MeanInterval mean_interval(std::span<const double> values);

}  // namespace halfling
