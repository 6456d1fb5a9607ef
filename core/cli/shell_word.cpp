// SPDX-License-Identifier: Apache-2.0
#include "cli/shell_word.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace halfling::cli {

std::string shell_word(const std::string& word) {
  const bool plain = !word.empty() && std::ranges::all_of(word, [](unsigned char c) {
    return std::isalnum(c) || std::string_view("-_./=:,+@%").find(static_cast<char>(c)) != std::string::npos;
  });
  if (plain) return word;
  std::string result = "'";
  for (const char c : word) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

}  // namespace halfling::cli
