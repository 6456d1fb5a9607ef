// SPDX-License-Identifier: Apache-2.0
// monitor.jsonl: what the numerics monitor saw, one object a line for each value and iteration:
// {"iteration": 100, "kind": "activation gradient", "operation": "g", "value": "g.deconv3", "format": "f16",
//  "judged_in": "f16", "loss_scale": 128.0, "elements": 50176, "zero": 0.1, "underflow": 0.02, "subnormal":
//  0.3, "overflow": 0.0, "nonfinite": 0.0, "stored_zero": 0.12, "first_exponent": -40, "counts": [1, 0, 7,
//  …]}
// Shares and counts are of the values before they are rounded to their format; stored_zero is the share of
// zeros afterwards. counts[i] elements have 2^(first_exponent + i) <= |x| < 2^(first_exponent + i + 1).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "halfling/reporter.hpp"

namespace halfling {

std::string line_of(const Observation& observation);
/// Every whole line of a file; empty where there is no file.
std::vector<Observation> read_observations(const std::filesystem::path& file);

}  // namespace halfling
