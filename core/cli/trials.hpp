// SPDX-License-Identifier: Apache-2.0
// The trials of a sweep, as people and programs read them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "experiment/experiment.hpp"

namespace halfling::cli {

/// One row per trial: number, id, what the sweep set.
std::string trial_table(const LoadedExperiment& loaded);
/// An array with "number", "trial" (the id) and "label" of each.
nlohmann::ordered_json trials_json(const LoadedExperiment& loaded);

}  // namespace halfling::cli
