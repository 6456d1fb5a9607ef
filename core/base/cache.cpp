// SPDX-License-Identifier: Apache-2.0
#include "halfling/cache.hpp"

#include <cstdlib>

namespace halfling {

std::filesystem::path cache_folder(std::string_view what) {
  const char* given = std::getenv("XDG_CACHE_HOME");
  if (given != nullptr && given[0] == '/') return std::filesystem::path(given) / "halfling" / what;
  const char* home = std::getenv("HOME");
  if (home == nullptr || home[0] != '/') return {};
  return std::filesystem::path(home) / ".cache" / "halfling" / what;
}

std::string dataset_root(const std::string& given, std::string_view card) {
  if (!given.empty()) return given;
  const std::filesystem::path cache = cache_folder("datasets");
  return cache.empty() ? std::string() : (cache / card).string();
}

}  // namespace halfling
