// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <nlohmann/json.hpp>

#include "halfling/error.hpp"
#include "strokes.hpp"

namespace halfling {

namespace {

using nlohmann::json;

/// Its beginning, for a message. What is nested is only named: its text is made by recursion, and a line may
/// be nested as deep as it is long.
std::string shown(const json& value) {
  if (value.is_structured())
    return std::string(value.is_array() ? "a list" : "an object") + " of " + std::to_string(value.size());
  return value.dump(-1, ' ', true, json::error_handler_t::replace).substr(0, 80);
}

class Line {
 public:
  Line(std::string_view text, const std::string& where) : text_(text), where_(where) {}

  std::vector<Stroke> strokes() const {
    const json line = json::parse(text_, nullptr, false);
    if (!line.is_object() || !line.contains("drawing") || !line["drawing"].is_array())
      refuse("this line is no drawing", std::string(text_.substr(0, 80)));
    std::vector<Stroke> result;
    for (const json& stroke : line["drawing"]) result.push_back(stroke_of(stroke));
    if (result.empty()) refuse("a drawing has no stroke", "\"drawing\": []");
    return result;
  }

 private:
  [[noreturn]] void refuse(const char* what, std::string got) const {
    throw Error({.what = what,
                 .where = where_,
                 .got = std::move(got),
                 .expected = R"({"drawing": [[[x...], [y...]], ...], ...}, x and y from 0 to 255)",
                 .hint = "the line is damaged or not of the simplified files; fetch the file again",
                 .kind = ErrorKind::usage});
  }

  Stroke stroke_of(const json& stroke) const {
    const bool pair = stroke.is_array() && stroke.size() >= 2 && stroke[0].is_array() && stroke[1].is_array();
    if (!pair || stroke[0].empty() || stroke[0].size() != stroke[1].size())
      refuse("a stroke is not as many x as y",
             pair ? std::to_string(stroke[0].size()) + " x and " + std::to_string(stroke[1].size()) + " y"
                  : shown(stroke));
    return {.x = axis_of(stroke[0]), .y = axis_of(stroke[1])};
  }

  std::vector<std::uint8_t> axis_of(const json& values) const {
    std::vector<std::uint8_t> result;
    for (const json& value : values) {
      const bool inside = value.is_number_unsigned() && value.get<std::uint64_t>() <= 255;
      if (!inside) refuse("a stroke lies outside of the canvas", shown(value));
      result.push_back(value.get<std::uint8_t>());
    }
    return result;
  }

  std::string_view text_;
  const std::string& where_;
};

}  // namespace

std::vector<Stroke> parse_strokes(std::string_view line, const std::string& where) {
  return Line(line, where).strokes();
}

}  // namespace halfling
