// SPDX-License-Identifier: Apache-2.0
// A plugin's options as an experiment that gives only some of them would deliver them.
#pragma once

#include "experiment/resolver.hpp"
#include "plugin/registry.hpp"

namespace halfling::test {

inline Options plugin_options(const Registry& registry, std::string_view kind, std::string_view name,
                              Options given = {}) {
  const PluginDescriptor& plugin = *registry.get(kind, name).descriptor;
  for (std::size_t i = 0; i < plugin.option_count; ++i)
    if (!given.values().contains(plugin.options[i].name))
      given.set(plugin.options[i].name, config::default_value({plugin.options[i]}, plugin.name));
  return given;
}

}  // namespace halfling::test
