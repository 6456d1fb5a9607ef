// SPDX-License-Identifier: Apache-2.0
// What the present device can do, measured through its backend.
#pragma once

#include "measure/accelerator.hpp"
#include "plan/platform.hpp"

namespace halfling {

/// Runs large products in each format that the device has natively, a long sum of arrays, and a chain of
/// tiny products, each a few times, and takes the best: about a second.
Rates measured_rates(const Platform& platform);

}  // namespace halfling
