// SPDX-License-Identifier: Apache-2.0
// What an experiment file may hold, as a JSON Schema for editors.
#pragma once

#include <string>

#include "plugin/catalog.hpp"

namespace halfling {

/// JSON Schema Draft 4 (the draft of Taplo and the editors built on it), with a line break at the end: the
/// tables of core and, for each component table, one closed object per plugin of the catalogue, told apart by
/// `use`. A file may leave anything out, since a file that extends it, or that it extends, may have it: the
/// schema judges what is written, and `halfling plan` also what is missing. Throws Error (failure) where a
/// plugin's declaration is wrong.
std::string experiment_schema(const PluginCatalog& catalog);

}  // namespace halfling
