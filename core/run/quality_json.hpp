// SPDX-License-Identifier: Apache-2.0
// The object `quality` of summary.json.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "halfling/quality.hpp"

namespace halfling {

/// What was not measured is null.
nlohmann::ordered_json quality_json(const Quality& quality);
/// Throws std::exception where it is none.
Quality quality_of(const nlohmann::ordered_json& json);

}  // namespace halfling
