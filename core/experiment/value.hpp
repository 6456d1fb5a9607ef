// SPDX-License-Identifier: Apache-2.0
// One value against its declaration.
#pragma once

#include <optional>

#include "experiment/core_tables.hpp"
#include "experiment/diagnostics.hpp"
#include "experiment/tree.hpp"

namespace halfling::config {

/// The value as Options deliver it (durations in seconds, sizes in bytes, paths absolute); reports what is
/// wrong and returns nullopt. `key` is the full name for messages: "optimizer.beta1".
std::optional<OptionValue> check_value(const std::string& key, const TomlNode& node, const OptionRule& option,
                                       Diagnostics& diagnostics);

/// What a declaration accepts: "an integer from 1 to 1024", "one of \"fp16\", \"bf16\", \"auto\"".
std::string accepted(const OptionRule& option);

/// The choices of a string option that has them.
std::vector<std::string> choices_of(const OptionDeclaration& declaration);

/// A checked value as TOML text, with its unit.
std::string toml_text(const OptionValue& value, const OptionRule& option);

/// A TOML basic string with its quotes.
std::string toml_string(std::string_view text);

}  // namespace halfling::config
