// SPDX-License-Identifier: Apache-2.0
// What is not as it was when a run was interrupted.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "halfling/dataset.hpp"

namespace halfling {

/// Tells data sets apart: a hash of the number of samples, their shape, the classes, and of up to 16 samples
/// with their labels, spread evenly. Empty where one of
/// them cannot be read.
std::string data_fingerprint(const Dataset& dataset);

/// A line for each of program, data, device, processor and threads that differs between two environment.json,
/// with what it does to the run. What one of them does not tell is not compared.
std::vector<std::string> changes_between(const nlohmann::ordered_json& before,
                                         const nlohmann::ordered_json& now);

/// An environment.json with those of the executions before it: "before", the oldest first, each as far as
/// changes_between looks at it, and its date.
nlohmann::ordered_json with_history(nlohmann::ordered_json now, const nlohmann::ordered_json& before);

}  // namespace halfling
