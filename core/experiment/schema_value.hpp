// SPDX-License-Identifier: Apache-2.0
// One option's declaration as JSON Schema.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "experiment/core_tables.hpp"

namespace halfling::config {

/// What check_value accepts, except that bounds of durations and sizes are left to it. `owner` is who
/// declares the option, for errors.
nlohmann::ordered_json schema_of(const OptionRule& rule, const std::string& owner);

/// A text with a reference to a variable in it.
nlohmann::ordered_json reference();
/// What the schema takes, or such a text, whose value only the reader knows.
nlohmann::ordered_json or_reference(nlohmann::ordered_json schema);

}  // namespace halfling::config
