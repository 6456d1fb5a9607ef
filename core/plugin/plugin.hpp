// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "halfling/plugin.hpp"

namespace halfling {

/// A plugin that passed. Libraries are never unloaded, so a descriptor lives as long as the process.
struct Plugin {
  const PluginDescriptor* descriptor = nullptr;
  std::filesystem::path file;
};

}  // namespace halfling
