// SPDX-License-Identifier: Apache-2.0
// The options that a plugin declares, before any experiment uses it.
#pragma once

#include <vector>

#include "halfling/error.hpp"
#include "halfling/plugin.hpp"

namespace halfling {

/// What is wrong with the declarations: a name that no experiment can write or that the table has itself, one
/// that stands there twice, a default that is not accepted, no help. `where` is "optimizer.rate".
std::vector<ErrorDetails> declaration_faults(const PluginDescriptor& plugin);

}  // namespace halfling
