// SPDX-License-Identifier: Apache-2.0
// The user's own configuration, config.toml: so far the folders where plugins are looked for, too.
//
//   [plugins]
//   path = ["/home/me/my-plugins/build"]
#pragma once

#include <filesystem>
#include <vector>

namespace halfling {

/// $XDG_CONFIG_HOME/halfling/config.toml, else ~/.config/halfling/config.toml; empty where neither is known.
std::filesystem::path configuration_file();

/// As the file names them; none where there is no file. Throws Error (usage) where the file cannot be read,
/// is no TOML, or has anything else in it.
std::vector<std::filesystem::path> configured_plugin_folders();

/// Writes the file anew, whole or not at all. Throws Error (usage) where no place for it is known, or a name
/// cannot be told in TOML.
void configure_plugin_folders(const std::vector<std::filesystem::path>& folders);

}  // namespace halfling
