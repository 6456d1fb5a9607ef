// SPDX-License-Identifier: Apache-2.0
// What the reader of experiments asks of the plugin host; Registry answers it, tests answer it with tables.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "halfling/plugin.hpp"

namespace halfling {

class PluginCatalog {
 public:
  virtual ~PluginCatalog() = default;
  /// Names of the plugins of a kind ("backend", "optimizer", …), sorted.
  virtual std::vector<std::string> names(std::string_view kind) const = 0;
  /// The plugin's descriptor, alive as long as the catalogue; nullptr where there is none.
  virtual const PluginDescriptor* descriptor(std::string_view kind, std::string_view name) const = 0;
  /// What a plugin that belongs to this program, and that the build left out, lacks: "oneDNN 3.1 or newer was
  /// not found"; empty for every other name.
  virtual std::string not_built(std::string_view kind, std::string_view name) const {
    (void)kind, (void)name;
    return {};
  }
  /// Why a plugin may be missing, one line ("halfling-backend-cudnn.so was refused: …"); empty where nothing
  /// is known.
  virtual std::string missing_hint(std::string_view kind, std::string_view name) const {
    (void)kind, (void)name;
    return {};
  }
};

}  // namespace halfling
