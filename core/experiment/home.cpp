// SPDX-License-Identifier: Apache-2.0
#include "experiment/home.hpp"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>

namespace halfling::config {

std::optional<std::string> expand_home(const std::string& path) {
  if (!path.starts_with('~')) return path;
  const std::size_t end = std::min(path.find('/'), path.size());
  const std::string user = path.substr(1, end - 1), rest = path.substr(end);
  const char* home = user.empty() ? std::getenv("HOME") : nullptr;
  if (home && *home) return home + rest;
  const passwd* entry = user.empty() ? ::getpwuid(::getuid()) : ::getpwnam(user.c_str());
  if (!entry || !entry->pw_dir || !*entry->pw_dir) return std::nullopt;
  return entry->pw_dir + rest;
}

std::string variable_hint(std::string_view path) {
  for (std::size_t at = 0; at + 1 < path.size(); ++at) {
    const auto next = static_cast<unsigned char>(path[at + 1]);
    if (path[at] == '$' && (std::isalpha(next) || next == '_' || next == '{'))
      return "variables of the environment are not expanded; ~ is, to the home folder";
  }
  return {};
}

}  // namespace halfling::config
