// SPDX-License-Identifier: Apache-2.0
// halfling plugins path [add|remove FOLDER]
#include "cli/plugin_path.hpp"

#include <algorithm>
#include <iostream>
#include <system_error>

#include "base/json_text.hpp"
#include "base/printable.hpp"
#include "cli/command.hpp"
#include "cli/table.hpp"
#include "halfling/error.hpp"
#include "plugin/configuration.hpp"

namespace halfling::cli {
namespace {

namespace fs = std::filesystem;

/// Absolute, without . and .. and a slash at the end; links stay.
fs::path kept(const std::string& folder) {
  const fs::path path = fs::absolute(folder).lexically_normal();
  return path.has_filename() || path == path.root_path() ? path : path.parent_path();
}

Error usage(std::string what, std::string got, std::string expected) {
  return Error({.what = std::move(what),
                .where = {},
                .got = std::move(got),
                .expected = std::move(expected),
                .kind = ErrorKind::usage});
}

}  // namespace

nlohmann::json folders_json(const std::vector<SearchedFolder>& folders) {
  nlohmann::json result = nlohmann::json::array();
  for (const SearchedFolder& searched : folders)
    result.push_back({{"folder", searched.folder.string()}, {"from", searched.origin}});
  return result;
}

std::string folders_text(const std::vector<SearchedFolder>& folders) {
  std::vector<Row> rows = {{"FOLDER", "FROM"}};
  for (const SearchedFolder& searched : folders)
    rows.push_back({printable(searched.folder.string()), printable(searched.origin)});
  return table(std::move(rows));
}

void change_plugin_path(const std::string& verb, const std::string& folder) {
  if (verb != "add" && verb != "remove")
    throw usage("the path of plugins does not take this", verb, "add FOLDER or remove FOLDER");
  const fs::path path = kept(folder);
  std::vector<fs::path> folders = configured_plugin_folders();
  const auto place = std::ranges::find(folders, path);
  if (verb == "remove") {
    if (place == folders.end())
      throw usage("the configuration does not have this folder", path.string(),
                  folders.empty() ? "none: it has no folder" : "one that `halfling plugins path` lists");
    folders.erase(place);
  } else {
    std::error_code none;
    if (!fs::is_directory(path, none))
      throw usage("a plugin folder does not exist", path.string(), "a folder that holds plugins (*.so)");
    if (place != folders.end()) return;
    folders.push_back(path);
  }
  configure_plugin_folders(folders);
}

int list_plugin_path(const std::vector<fs::path>& extra, bool json_wanted) {
  const std::vector<SearchedFolder> folders = searched_folders(extra);
  std::cout << (json_wanted ? json_text(folders_json(folders), 2) + "\n" : folders_text(folders));
  return exit_done;
}

}  // namespace halfling::cli
