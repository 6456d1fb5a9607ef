// SPDX-License-Identifier: Apache-2.0
// How long a trial's iterations would take on other devices, and on this one.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "plan/data_facts.hpp"
#include "plan/platform.hpp"
#include "plan/roofline.hpp"

namespace halfling {

/// Of each device the mean over iterations that run different phases; nullopt where it lacks a format of the
/// trial's policy. The experiment must have passed a Preflight, which gives platform and data.
std::vector<std::optional<PredictedTime>> predicted_times(const Experiment& experiment,
                                                          const Registry& registry, const Platform& platform,
                                                          const DataFacts& data,
                                                          std::span<const Rates> devices);

}  // namespace halfling
