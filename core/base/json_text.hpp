// SPDX-License-Identifier: Apache-2.0
// JSON that comes from outside, and texts from outside in JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace halfling {

/// As JSON text; bytes that are not UTF-8, as names of files may have, become U+FFFD. `indent` < 0: one line.
template <class Json>
std::string json_text(const Json& value, int indent = -1) {
  return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

/// Whether brackets are open more than `most` deep somewhere: what recurses over such JSON ends the process.
inline bool nested_deeper(std::string_view json, int most) {
  int depth = 0;
  bool in_text = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (c == '"') in_text = !in_text;
    if (in_text && c == '\\') ++i;
    if (in_text) continue;
    if ((c == '[' || c == '{') && ++depth > most) return true;
    if (c == ']' || c == '}') --depth;
  }
  return false;
}

/// Discarded where the text is no JSON, or nested more than 64 deep.
inline nlohmann::ordered_json parse_json(std::string_view text) {
  if (nested_deeper(text, 64)) return nlohmann::ordered_json(nlohmann::ordered_json::value_t::discarded);
  return nlohmann::ordered_json::parse(text, nullptr, false);
}

}  // namespace halfling
