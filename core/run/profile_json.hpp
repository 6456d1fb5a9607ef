// SPDX-License-Identifier: Apache-2.0
// The part of summary.json that says where an iteration's time goes.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "halfling/run.hpp"

namespace halfling {

nlohmann::ordered_json profile_json(const WorkProfile& profile);
/// Throws std::exception where it is none.
WorkProfile profile_of(const nlohmann::ordered_json& json);

}  // namespace halfling
