// SPDX-License-Identifier: Apache-2.0
// Judges a plugin's descriptor before any other code of the plugin runs.
#pragma once

#include <optional>

#include "halfling/error.hpp"
#include "halfling/plugin.hpp"

namespace halfling {

/// Why the descriptor is refused, with both values and the remedy; empty where it is good. Reads no field
/// before the ones that vouch for it.
std::optional<ErrorDetails> descriptor_defect(const PluginDescriptor& descriptor);

/// True where kind and name may be read although the descriptor was refused.
bool is_readable(const PluginDescriptor& descriptor);

}  // namespace halfling
