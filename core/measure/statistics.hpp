// SPDX-License-Identifier: Apache-2.0
// Order statistics of repeated measurements.
#pragma once

#include <span>

#include "halfling/measurement.hpp"

namespace halfling {

/// Linear between the neighbours in order (Hyndman and Fan 1996, type 7: numpy's default). All NaN without
/// values.
Quantiles quantiles(std::span<const double> values);

}  // namespace halfling
