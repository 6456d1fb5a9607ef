// SPDX-License-Identifier: Apache-2.0
#include "base/printable.hpp"

#include <fmt/format.h>

#include <boost/locale/utf.hpp>
#include <cstdint>

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

/// A terminal's treatment of bytes that are no UTF-8 is anybody's guess.
std::string escaped_bytes(std::string_view bytes) {
  std::string result;
  for (const char byte : bytes) result += fmt::format("\\x{:02X}", static_cast<unsigned char>(byte));
  return result;
}

/// Besides those of ASCII, U+0080 to U+009F are control characters: terminals obey some.
bool is_control(std::uint32_t point) {
  return point < 0x20 || (point >= 0x7F && point < 0xA0);
}

std::string without_controls(std::string_view text, bool keep_lines) {
  using utf8 = boost::locale::utf::utf_traits<char>;
  std::string result;
  for (const char* at = text.data(); at != text.data() + text.size();) {
    const char* const begin = at;
    const std::uint32_t point = utf8::decode(at, text.data() + text.size());
    const std::string_view bytes(begin, static_cast<std::size_t>(at - begin));
    if (point == boost::locale::utf::illegal || point == boost::locale::utf::incomplete)
      result += escaped_bytes(bytes);
    else if (is_control(point) && point != '\t' && !(keep_lines && point == '\n'))
      result += escaped(point);
    else
      result += bytes;
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
