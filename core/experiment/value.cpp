// SPDX-License-Identifier: Apache-2.0
#include "experiment/value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiment/list_edit.hpp"
#include "experiment/units.hpp"
#include "plugin/suggest.hpp"

namespace halfling::config {
namespace {

/// Checks one node; the members are what every step needs.
struct Check {
  const std::string& key;
  const Node& node;
  const OptionRule& option;
  Diagnostics& diagnostics;

  std::nullopt_t fail(Fault fault, std::string message, std::string hint = {},
                      const Place* place = nullptr) const {
    diagnostics.add(
        {fault, place ? *place : node.place, std::move(message), accepted(option), std::move(hint)});
    return std::nullopt;
  }
  std::nullopt_t wrong_type() const;
  std::optional<OptionValue> integer() const;
  std::optional<OptionValue> number() const;
  std::optional<OptionValue> text() const;
  std::optional<OptionValue> path() const;
  std::optional<OptionValue> quantity() const;
  std::optional<OptionValue> list() const;
  std::optional<OptionValue> in_range(double value, OptionValue result) const;
  std::string unit_hint() const;
  bool may_be_empty() const {
    return option.declaration.default_toml && std::string_view(option.declaration.default_toml) == "\"\"";
  }
};

std::string written(const Node& node) {
  if (const auto* i = std::get_if<std::int64_t>(&node.value)) return std::to_string(*i);
  if (const auto* d = std::get_if<double>(&node.value)) return format_number(*d);
  if (const auto* b = std::get_if<bool>(&node.value)) return *b ? "true" : "false";
  return node.string() ? *node.string() : std::string{};
}

// Says how to write it where what was meant is plain.
std::nullopt_t Check::wrong_type() const {
  const OptionType type = option.declaration.type;
  const std::string text = written(node);
  const bool wants_text = type == OptionType::string || type == OptionType::path;
  std::string hint;
  if (wants_text && !text.empty()) hint = fmt::format("write it in quotes: \"{}\"", text);
  if (node.string() && type == OptionType::boolean && (text == "true" || text == "false"))
    hint = fmt::format("write {} without quotes", text);
  if (node.string() && (type == OptionType::integer || type == OptionType::number) && !text.empty() &&
      text.find_first_not_of("+-0123456789.eE_") == std::string::npos)
    hint = fmt::format("write {} without quotes", text);
  if (type == OptionType::string_list && is_list_edit(node)) hint = "no file below has a list to change";
  if (node.string() && type == OptionType::string_list) hint = fmt::format("write [\"{}\"]", text);
  if (const auto* d = std::get_if<double>(&node.value);
      d && type == OptionType::integer && *d == std::floor(*d) && std::abs(*d) < 0x1p53)
    hint = fmt::format("write {:.0f}", *d);
  return fail(Fault::wrong_type, fmt::format("\"{}\" is {}", key, type_name(node)), hint);
}

std::optional<OptionValue> Check::in_range(double value, OptionValue result) const {
  const OptionDeclaration& d = option.declaration;
  if (value < d.minimum || value > d.maximum) {
    const bool low = value < d.minimum;
    return fail(Fault::out_of_range, fmt::format("\"{}\" is too {}", key, low ? "small" : "large"));
  }
  return result;
}

std::optional<OptionValue> Check::integer() const {
  const auto* i = std::get_if<std::int64_t>(&node.value);
  if (!i) return wrong_type();
  return in_range(static_cast<double>(*i), *i);
}

std::optional<OptionValue> Check::number() const {
  double value = 0;
  if (const auto* i = std::get_if<std::int64_t>(&node.value)) {
    value = static_cast<double>(*i);
  } else if (const auto* d = std::get_if<double>(&node.value)) {
    value = *d;
  } else {
    return wrong_type();
  }
  if (!std::isfinite(value)) return fail(Fault::bad_value, fmt::format("\"{}\" is not finite", key));
  return in_range(value, value);
}

std::optional<OptionValue> Check::text() const {
  if (!node.string()) return wrong_type();
  const std::string& text = *node.string();
  if (option.declaration.choices) {
    const auto choices = choices_of(option.declaration);
    if (std::find(choices.begin(), choices.end(), text) != choices.end()) return text;
    return fail(Fault::not_a_choice, fmt::format("\"{}\" cannot be \"{}\"", key, text),
                did_you_mean(text, choices));
  }
  if (text.empty() && !may_be_empty()) return fail(Fault::bad_value, fmt::format("\"{}\" is empty", key));
  return text;
}

std::optional<OptionValue> Check::path() const {
  if (!node.string()) return wrong_type();
  const std::string& text = *node.string();
  if (text.empty()) {
    if (may_be_empty()) return text;
    return fail(Fault::bad_value, fmt::format("\"{}\" is empty", key));
  }
  if (text.find('\0') != std::string::npos)
    return fail(Fault::bad_value, fmt::format("\"{}\" has a zero byte in it", key));
  const std::filesystem::path folder =
      node.place.source ? node.place.source->folder : std::filesystem::path();
  return (std::filesystem::absolute(folder) / text).lexically_normal().string();
}

std::string Check::unit_hint() const {
  const std::string text = written(node);
  if (node.string() || text.empty() || text.front() == '-' || text == "0") return {};
  if (option.interval && !std::holds_alternative<std::int64_t>(node.value))
    return fmt::format("write \"{}s\"", text);
  if (option.interval) return fmt::format("which is it: \"{0}s\" or \"{0}it\"?", text);
  if (option.declaration.type == OptionType::duration)
    return fmt::format("which is it: \"{0}s\", \"{0}min\" or \"{0}h\"?", text);
  return fmt::format("which is it: \"{0}B\", \"{0}MiB\" or \"{0}GiB\"?", text);
}

std::optional<OptionValue> Check::quantity() const {
  if (!node.string() && written(node).empty()) return wrong_type();
  if (std::holds_alternative<bool>(node.value)) return wrong_type();
  if (!node.string())
    return fail(Fault::wrong_unit, fmt::format("\"{}\" is a number without a unit", key), unit_hint());
  const std::string& text = *node.string();
  if (option.interval) {
    if (const auto interval = parse_interval(text)) return format_interval(*interval);
  } else if (option.declaration.type == OptionType::duration) {
    if (const auto seconds = parse_duration(text)) return in_range(*seconds, *seconds);
  } else if (const auto bytes = parse_size(text)) {
    return in_range(static_cast<double>(*bytes), *bytes);
  }
  return fail(Fault::wrong_unit, fmt::format("\"{}\" cannot be \"{}\"", key, text));
}

std::optional<OptionValue> Check::list() const {
  if (!node.array()) return wrong_type();
  std::vector<std::string> result;
  for (std::size_t i = 0; i < node.array()->size(); ++i) {
    const Node& element = (*node.array())[i];
    if (!element.string())
      return fail(Fault::wrong_type, fmt::format("\"{}\" has {} in it", key, type_name(element)), {},
                  &element.place);
    if (element.string()->empty())
      return fail(Fault::bad_value, fmt::format("\"{}\" has an empty text in it", key), {}, &element.place);
    if (std::find(result.begin(), result.end(), *element.string()) != result.end())
      return fail(Fault::bad_value, fmt::format("\"{}\" has \"{}\" twice", key, *element.string()), {},
                  &element.place);
    result.push_back(*element.string());
  }
  return result;
}

}  // namespace

std::optional<OptionValue> check_value(const std::string& key, const Node& node, const OptionRule& option,
                                       Diagnostics& diagnostics) {
  const Check check{key, node, option, diagnostics};
  if (option.interval) return check.quantity();
  switch (option.declaration.type) {
    case OptionType::boolean:
      if (const bool* b = std::get_if<bool>(&node.value)) return *b;
      return check.wrong_type();
    case OptionType::integer:
      return check.integer();
    case OptionType::number:
      return check.number();
    case OptionType::string:
      return check.text();
    case OptionType::path:
      return check.path();
    case OptionType::duration:
    case OptionType::size:
      return check.quantity();
    case OptionType::string_list:
      return check.list();
  }
  return std::nullopt;
}

}  // namespace halfling::config
