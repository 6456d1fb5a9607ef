// SPDX-License-Identifier: Apache-2.0
#include "experiment/source.hpp"

#include <fmt/format.h>

namespace halfling::config {

std::string text_of(const Place& place) {
  if (!place.source) return "default";
  if (!place.source->file || place.line == 0) return place.source->name;
  return fmt::format("{}:{}:{}", place.source->name, place.line, place.column);
}

std::string line_of(const Place& place) {
  if (!place.source || place.line == 0) return {};
  const std::string& text = place.source->text;
  std::size_t begin = 0;
  for (std::uint32_t line = 1; line < place.line; ++line) {
    begin = text.find('\n', begin);
    if (begin == std::string::npos) return {};
    ++begin;
  }
  const std::size_t end = text.find('\n', begin);
  std::string line = text.substr(begin, end == std::string::npos ? end : end - begin);
  if (!line.empty() && line.back() == '\r') line.pop_back();
  return line;
}

namespace {
bool starts_code_point(char c) {
  return (static_cast<unsigned char>(c) & 0xC0u) != 0x80u;
}
}  // namespace

std::uint32_t code_points(std::string_view text) {
  std::uint32_t count = 0;
  for (const char c : text) count += starts_code_point(c) ? 1 : 0;
  return count;
}

std::string_view code_point_slice(std::string_view text, std::uint32_t first, std::uint32_t count) {
  std::size_t begin = text.size(), end = text.size();
  std::uint32_t index = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!starts_code_point(text[i])) continue;
    if (index == first) begin = i;
    if (index == first + count) {
      end = i;
      break;
    }
    ++index;
  }
  return begin < end ? text.substr(begin, end - begin) : std::string_view{};
}

}  // namespace halfling::config
