// SPDX-License-Identifier: Apache-2.0
#include "plugin/search_path.hpp"

#define BOOST_DLL_USE_STD_FS
#include <algorithm>
#include <boost/dll/runtime_symbol_info.hpp>
#include <cstdlib>
#include <sstream>
#include <string>
#include <system_error>

#include "halfling/error.hpp"
#include "halfling/processors.hpp"
#include "plugin/configuration.hpp"

namespace halfling {
namespace {

namespace fs = std::filesystem;

// Beside the SDK's library stand either its installed plugins or, in a build tree, the folder of all plugins.
// Taking the library's own place makes an installation movable.
fs::path own_folder() {
  const fs::path library = fs::canonical(boost::dll::symbol_location(usable_processors));
  const fs::path installed = library.parent_path() / "halfling" / "plugins";
  if (fs::is_directory(installed)) return installed;
  return library.parent_path().parent_path() / "plugins";
}

void require_folder(const fs::path& folder, const std::string& origin, std::string hint = {}) {
  std::error_code ignored;
  if (fs::is_directory(folder, ignored)) return;
  throw Error({.what = "a plugin folder does not exist",
               .where = origin,
               .got = folder.string(),
               .expected = "a folder that holds plugins (*.so)",
               .hint = std::move(hint),
               .kind = ErrorKind::usage});
}

// A link that leads nowhere or in a circle is one, so that it is refused by name. What is no file is none: to
// open a FIFO would wait for ever.
bool may_be_plugin(const fs::directory_entry& entry) {
  std::error_code error;
  if (entry.is_regular_file(error)) return true;
  return error || (entry.is_symlink(error) && !entry.exists(error));
}

}  // namespace

std::vector<SearchedFolder> searched_folders(const std::vector<fs::path>& extra) {
  std::vector<SearchedFolder> folders;
  const auto add = [&](const fs::path& folder, const std::string& origin, std::string hint = {}) {
    require_folder(folder, origin, std::move(hint));
    folders.push_back({folder, origin});
  };
  for (const fs::path& folder : extra) add(folder, "--plugin-path");
  if (const char* variable = std::getenv("HALFLING_PLUGIN_PATH")) {
    std::istringstream parts(variable);
    for (std::string part; std::getline(parts, part, ':');)
      if (!part.empty()) add(part, "HALFLING_PLUGIN_PATH");
  }
  for (const fs::path& folder : configured_plugin_folders())
    add(folder, configuration_file().string(), "halfling plugins path remove " + folder.string());
  const fs::path own = own_folder();
  if (fs::is_directory(own)) folders.push_back({own, "halfling"});
  return folders;
}

std::vector<fs::path> plugin_search_path(const std::vector<fs::path>& extra) {
  std::vector<fs::path> folders;
  for (SearchedFolder& searched : searched_folders(extra)) folders.push_back(std::move(searched.folder));
  return folders;
}

std::vector<std::string> own_backends() {
  constexpr std::string_view prefix = "halfling-backend-";
  std::vector<std::string> names;
  const fs::path own = own_folder();
  if (!fs::is_directory(own)) return names;
  for (const fs::path& file : plugin_candidates(own)) {
    const std::string stem = file.stem().string();
    if (stem.starts_with(prefix)) names.push_back(stem.substr(prefix.size()));
  }
  return names;
}

std::vector<fs::path> plugin_candidates(const fs::path& folder) {
  std::vector<fs::path> files;
  try {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
      if (entry.path().extension() == ".so" && may_be_plugin(entry)) files.push_back(entry.path());
    }
  } catch (const fs::filesystem_error& error) {
    throw Error({.what = "a plugin folder cannot be read",
                 .where = folder.string(),
                 .got = error.code().message(),
                 .kind = ErrorKind::usage});
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace halfling
