// SPDX-License-Identifier: Apache-2.0
// Where plugins are looked for.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace halfling {

/// The folders in order: `extra`, those of HALFLING_PLUGIN_PATH, and the one that belongs to this build or
/// installation. Throws Error (usage) for one of the first two that is no folder.
std::vector<std::filesystem::path> plugin_search_path(const std::vector<std::filesystem::path>& extra);

/// The backends of this build or installation, by the names of their files: nothing is loaded.
std::vector<std::string> own_backends();

/// The regular files named *.so in a folder and below, in the order of their names. Throws Error (usage)
/// where the folder cannot be read.
std::vector<std::filesystem::path> plugin_candidates(const std::filesystem::path& folder);

}  // namespace halfling
