// SPDX-License-Identifier: Apache-2.0
#include "experiment/schema_value.hpp"

#include <fmt/format.h>

#include <cmath>

#include "experiment/resolver.hpp"
#include "experiment/toml_reader.hpp"
#include "experiment/value.hpp"

namespace halfling::config {
namespace {

using nlohmann::ordered_json;

constexpr const char* number = R"(([0-9]+(\.[0-9]*)?|\.[0-9]+))";

std::string size_pattern() {
  return fmt::format("^{} ?(TiB|GiB|MiB|KiB|B|TB|GB|MB|kB)$", number);
}

// Each unit at most once, the larger first. Without look-ahead, which not every validator has.
std::string duration_alternatives() {
  constexpr const char* units[] = {"h", "(min|m)", "s", "ms"};
  std::string result;
  for (std::size_t first = 0; first < std::size(units); ++first) {
    result += fmt::format("{}{} ?{}", first ? "|" : "", number, units[first]);
    for (std::size_t i = first + 1; i < std::size(units); ++i)
      result += fmt::format("( ?{} ?{})?", number, units[i]);
  }
  return result;
}

ordered_json bound(double value) {
  if (value == std::floor(value) && std::abs(value) <= 0x1p53) return static_cast<std::int64_t>(value);
  return value;
}

ordered_json numeric(const char* type, const OptionDeclaration& d) {
  ordered_json result{{"type", type}};
  if (std::isfinite(d.minimum)) result["minimum"] = bound(d.minimum);
  if (std::isfinite(d.maximum)) result["maximum"] = bound(d.maximum);
  return result;
}

ordered_json pattern(const std::string& text) {
  return {{"type", "string"}, {"pattern", text}};
}

ordered_json text(const OptionDeclaration& d) {
  if (d.choices) return {{"enum", choices_of(d)}};
  const bool may_be_empty = d.default_toml && std::string_view(d.default_toml) == "\"\"";
  return may_be_empty ? ordered_json{{"type", "string"}} : ordered_json{{"type", "string"}, {"minLength", 1}};
}

// A list, or an edit of the list below.
ordered_json list() {
  const ordered_json texts = {
      {"type", "array"}, {"items", {{"type", "string"}, {"minLength", 1}}}, {"uniqueItems", true}};
  const ordered_json edit = {{"type", "object"},
                             {"properties", {{"append", texts}, {"remove", texts}}},
                             {"additionalProperties", false}};
  return {{"anyOf", {texts, edit}}};
}

ordered_json accepted_schema(const OptionRule& rule) {
  const OptionDeclaration& d = rule.declaration;
  if (rule.interval) return pattern(fmt::format("^(0*[1-9][0-9]*it|{})$", duration_alternatives()));
  if (rule.length) return pattern(fmt::format("^([0-9]+ ?(it|samples)|{0} ?(ep|%))$", number));
  switch (d.type) {
    case OptionType::boolean:
      return {{"type", "boolean"}};
    case OptionType::integer:
      return numeric("integer", d);
    case OptionType::number:
      return numeric("number", d);
    case OptionType::string:
    case OptionType::path:
      return text(d);
    case OptionType::duration:
      return pattern(fmt::format("^({})$", duration_alternatives()));
    case OptionType::size:
      return pattern(size_pattern());
    case OptionType::string_list:
      return list();
    case OptionType::number_list:
      return {{"type", "array"}, {"items", numeric("number", d)}};
  }
  return {};
}

ordered_json to_json(const TomlNode& node) {
  if (const auto* b = std::get_if<bool>(&node.value)) return *b;
  if (const auto* i = std::get_if<std::int64_t>(&node.value)) return *i;
  if (const auto* d = std::get_if<double>(&node.value)) return *d;
  if (node.string()) return *node.string();
  ordered_json result = ordered_json::array();
  if (node.array())
    for (const TomlNode& element : *node.array()) result.push_back(to_json(element));
  return result;
}

std::string description(const OptionRule& rule) {
  const OptionDeclaration& d = rule.declaration;
  std::string text = d.help;
  if (d.unit && *d.unit && d.type != OptionType::duration) text += fmt::format(" [{}]", d.unit);
  if (rule.optional) return text;
  return text + (d.default_toml ? fmt::format("; default {}", d.default_toml) : "; required");
}

}  // namespace

ordered_json reference() {
  return pattern(R"(\$\{vars\..+\})");
}

ordered_json or_reference(ordered_json schema) {
  return {{"anyOf", {std::move(schema), reference()}}};
}

ordered_json schema_of(const OptionRule& rule, const std::string& owner) {
  const OptionDeclaration& d = rule.declaration;
  ordered_json result = {{"description", description(rule)}};
  if (d.default_toml && !rule.optional) {
    default_value(rule, owner);  // throws where the declaration is wrong
    result["default"] = to_json(*read_toml_value(d.default_toml, nullptr));
  }
  result.update(or_reference(accepted_schema(rule)));
  return result;
}

}  // namespace halfling::config
