// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "plugin/search_path.hpp"

namespace halfling::cli {

nlohmann::json folders_json(const std::vector<SearchedFolder>& folders);
/// A line for each folder, in the order of the search.
std::string folders_text(const std::vector<SearchedFolder>& folders);

/// `verb`: "add" or "remove", a folder of the user's configuration.
void change_plugin_path(const std::string& verb, const std::string& folder);

/// Prints them; returns the exit status.
int list_plugin_path(const std::vector<std::filesystem::path>& extra, bool json_wanted);

}  // namespace halfling::cli
