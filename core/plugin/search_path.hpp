// SPDX-License-Identifier: Apache-2.0
// Where plugins are looked for.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace halfling {

/// A folder that is searched, and who named it: "--plugin-path", "HALFLING_PLUGIN_PATH", the configuration
/// file, or "halfling" itself.
struct SearchedFolder {
  std::filesystem::path folder;
  std::string origin;
};

/// The folders in order: `extra`, those of HALFLING_PLUGIN_PATH, those of the user's configuration, and the
/// one that belongs to this build or installation. The order decides nothing but who is asked first: of two
/// files that offer the same kind and name none is preferred, see Registry. Throws Error (usage) for one of
/// the first three that is no folder, and for a damaged configuration.
std::vector<SearchedFolder> searched_folders(const std::vector<std::filesystem::path>& extra);

/// Their folders alone.
std::vector<std::filesystem::path> plugin_search_path(const std::vector<std::filesystem::path>& extra);

/// The backends of this build or installation, by the names of their files: nothing is loaded.
std::vector<std::string> own_backends();

/// The regular files named *.so in a folder and below, in the order of their names. Throws Error (usage)
/// where the folder cannot be read.
std::vector<std::filesystem::path> plugin_candidates(const std::filesystem::path& folder);

}  // namespace halfling
