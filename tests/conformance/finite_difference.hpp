// SPDX-License-Identifier: Apache-2.0
// Gradients checked against central differences, in float64.
#pragma once

#include <string>

#include "case.hpp"
#include "halfling/backend.hpp"

namespace halfling::conformance {

/// Runs the case in f64 with real-valued data and compares every gradient, up to the case's order, with
/// (L(x + h) - L(x - h)) / 2h. Empty where all agree, else the first that does not.
std::string check_gradients(Backend& backend, const Case& the_case);

}  // namespace halfling::conformance
