// SPDX-License-Identifier: Apache-2.0
// What is said of one plugin, to people and to programs.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "plugin/registry.hpp"

namespace halfling::cli {

/// Kind, name, version, summary, file.
nlohmann::json as_json(const Plugin& plugin);
nlohmann::json options_json(const PluginDescriptor& plugin);
nlohmann::json as_json(const Refusal& refusal);

/// A table of its options with a heading, or that it has none.
std::string options_text(const PluginDescriptor& plugin);

}  // namespace halfling::cli
