// SPDX-License-Identifier: Apache-2.0
#include "plugin/configuration.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <system_error>

#include "base/atomic_file.hpp"
#include "halfling/error.hpp"

namespace halfling {
namespace {

namespace fs = std::filesystem;

Error damaged(std::string what, const std::string& file, const toml::source_region& at, std::string got,
              std::string expected) {
  const std::string place = at.begin.line == 0 ? "" : fmt::format(":{}:{}", at.begin.line, at.begin.column);
  return Error({.what = std::move(what),
                .where = file + place,
                .got = std::move(got),
                .expected = std::move(expected),
                .hint = "mend the file, or delete it and begin anew with `halfling plugins path add FOLDER`",
                .kind = ErrorKind::usage});
}

/// The one key of a table; no other may stand there.
const toml::node* only_key(const toml::table& table, std::string_view wanted, const std::string& file) {
  for (const auto& [key, node] : table)
    if (key.str() != wanted)
      throw damaged("the configuration has a key that nobody knows", file, node.source(),
                    std::string(key.str()), std::string(wanted));
  return table.get(wanted);
}

std::vector<fs::path> folders_in(const toml::table& table, const std::string& file) {
  const toml::node* plugins = only_key(table, "plugins", file);
  if (plugins == nullptr) return {};
  if (!plugins->is_table())
    throw damaged("plugins is no table in the configuration", file, plugins->source(), {}, "[plugins]");
  const toml::node* path = only_key(*plugins->as_table(), "path", file);
  if (path == nullptr) return {};
  const char* expected = "a list of absolute folders, such as [\"/home/me/plugins\"]";
  if (!path->is_array())
    throw damaged("plugins.path is no list in the configuration", file, path->source(), {}, expected);
  std::vector<fs::path> folders;
  for (const toml::node& element : *path->as_array()) {
    const auto text = element.value<std::string>();
    if (!text || !fs::path(*text).is_absolute())
      throw damaged("a plugin folder of the configuration is no absolute path", file, element.source(),
                    text.value_or(""), expected);
    folders.emplace_back(*text);
  }
  return folders;
}

std::vector<fs::path> parsed(const std::string& text, const std::string& file) {
  try {
    return folders_in(toml::parse(text, file), file);
  } catch (const toml::parse_error& error) {
    throw damaged("the configuration is no TOML", file, error.source(), std::string(error.description()), {});
  }
}

std::string as_toml(const std::vector<fs::path>& folders) {
  toml::array path;
  for (const fs::path& folder : folders) path.push_back(folder.string());
  std::ostringstream text;
  text << "# Folders where halfling looks for plugins, too; `halfling plugins path` changes them.\n"
       << toml::table{{"plugins", toml::table{{"path", path}}}} << "\n";
  return text.str();
}

}  // namespace

fs::path configuration_file() {
  const char* given = std::getenv("XDG_CONFIG_HOME");
  if (given != nullptr && given[0] == '/') return fs::path(given) / "halfling" / "config.toml";
  const char* home = std::getenv("HOME");
  if (home == nullptr || home[0] != '/') return {};
  return fs::path(home) / ".config" / "halfling" / "config.toml";
}

std::vector<fs::path> configured_plugin_folders() {
  const fs::path file = configuration_file();
  std::error_code none;
  if (file.empty() || !fs::exists(file, none)) return {};
  std::ifstream stream(file, std::ios::binary);
  const bool readable = fs::is_regular_file(file, none) && stream;
  if (!readable) throw damaged("the configuration cannot be read", file.string(), {}, {}, "a file");
  return parsed({std::istreambuf_iterator<char>(stream), {}}, file.string());
}

void configure_plugin_folders(const std::vector<fs::path>& folders) {
  const fs::path file = configuration_file();
  if (file.empty())
    throw Error({.what = "no folder for a configuration is known",
                 .where = "HOME, XDG_CONFIG_HOME",
                 .expected = "one of them",
                 .kind = ErrorKind::usage});
  const std::string text = as_toml(folders);
  if (parsed(text, file.string()) != folders)
    throw Error({.what = "a folder's name cannot be kept in a configuration",
                 .where = folders.back().string(),
                 .expected = "a name in UTF-8",
                 .kind = ErrorKind::usage});
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  AtomicFile written(output_path(file));
  written.write(text);
  written.commit();
}

}  // namespace halfling
