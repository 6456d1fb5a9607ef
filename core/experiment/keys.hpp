// SPDX-License-Identifier: Apache-2.0
// The names of all values that an experiment can have.
#pragma once

#include <string>
#include <vector>

#include "plugin/catalog.hpp"

namespace halfling {

struct KnownKey {
  std::string name;                  ///< "precision.half"
  std::vector<std::string> choices;  ///< the values as typed after --set; empty where they cannot be listed
};

/// The keys of core's tables, then those of the plugins; with the choices of all plugins that have the key.
/// An element of a list is named as its plugin: "transform.flip.probability". In the order of a resolved
/// experiment.
std::vector<KnownKey> known_keys(const PluginCatalog& catalog);

}  // namespace halfling
