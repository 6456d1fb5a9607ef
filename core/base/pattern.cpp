// SPDX-License-Identifier: Apache-2.0
#include "halfling/pattern.hpp"

namespace halfling {

// Where something does not fit, only the last star has to take one character more: those before it are
// settled.
bool matches(std::string_view pattern, std::string_view name) {
  std::size_t at = 0, star = std::string_view::npos, taken = 0;
  for (std::size_t i = 0; i < name.size();) {
    if (at < pattern.size() && pattern[at] == '*') {
      star = at++;
      taken = i;
    } else if (at < pattern.size() && pattern[at] == name[i]) {
      ++at, ++i;
    } else if (star != std::string_view::npos) {
      at = star + 1;
      i = ++taken;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', at) == std::string_view::npos;
}

}  // namespace halfling
