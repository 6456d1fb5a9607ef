// SPDX-License-Identifier: Apache-2.0
// What networks that want a sign-in send in the place of data.
#pragma once

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

namespace halfling {

/// Whether a file that begins so is a web page.
inline bool is_page(std::string_view begin) {
  const std::size_t text = begin.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  if (text == begin.npos) return false;
  std::string lower(begin.substr(text, 9));
  std::ranges::transform(lower, lower.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower.starts_with("<!doctype") || lower.starts_with("<html");
}

}  // namespace halfling
