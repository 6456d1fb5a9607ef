// SPDX-License-Identifier: Apache-2.0
// What to say about a key that nobody knows.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "experiment/tree.hpp"
#include "plugin/catalog.hpp"

namespace halfling::config {

/// A hint: the table, or the other plugin, that the key belongs to, and else the nearest key of `known`.
/// Empty where nothing is near. `table` is "" for the top level.
std::string unknown_key_hint(std::string_view key, std::string_view table,
                             const std::vector<std::string>& known, const Table& root,
                             const PluginCatalog& catalog);

}  // namespace halfling::config
