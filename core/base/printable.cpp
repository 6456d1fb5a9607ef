// SPDX-License-Identifier: Apache-2.0
#include "base/printable.hpp"

#include <fmt/format.h>

namespace halfling {
namespace {

std::string escaped(unsigned code) {
  switch (code) {
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    default:
      return fmt::format("\\u{:04X}", code);
  }
}

/// Besides those of ASCII, U+0080 to U+009F are control characters: terminals obey some.
std::string without_controls(std::string_view text, bool keep_lines) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
    if (c == 0xC2 && next >= 0x80 && next < 0xA0) {
      result += escaped(next);
      ++i;
    } else if ((c < 0x20 || c == 0x7F) && c != '\t' && !(keep_lines && c == '\n')) {
      result += escaped(c);
    } else {
      result += text[i];
    }
  }
  return result;
}

}  // namespace

std::string printable(std::string_view text) {
  return without_controls(text, false);
}

std::string printable_lines(std::string_view text) {
  return without_controls(text, true);
}

}  // namespace halfling
