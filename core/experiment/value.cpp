// SPDX-License-Identifier: Apache-2.0
#include "experiment/value.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/suggest.hpp"
#include "experiment/advice.hpp"
#include "experiment/home.hpp"
#include "experiment/list_edit.hpp"
#include "experiment/toml_reader.hpp"
#include "experiment/units.hpp"

namespace halfling::config {
namespace {

/// Checks one node; the members are what every step needs.
struct Check {
  const std::string& key;
  const TomlNode& node;
  const OptionRule& option;
  Diagnostics& diagnostics;
  bool advises = true;  ///< false: of advice itself

  std::optional<OptionValue> value() const;
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
  std::optional<OptionValue> numbers() const;
  std::optional<OptionValue> in_range(double value, OptionValue result) const;
  std::string unit_hint() const;
  bool takes(const std::string& toml) const;
  std::string hint_of(const std::string& toml) const;
  bool may_be_empty() const {
    return option.declaration.default_toml && std::string_view(option.declaration.default_toml) == "\"\"";
  }
};

std::string written(const TomlNode& node) {
  if (const auto* i = std::get_if<std::int64_t>(&node.value)) return std::to_string(*i);
  if (const auto* d = std::get_if<double>(&node.value)) return format_number(*d);
  if (const auto* b = std::get_if<bool>(&node.value)) return *b ? "true" : "false";
  return node.string() ? *node.string() : std::string{};
}

bool Check::takes(const std::string& toml) const {
  auto candidate = read_toml_value(toml, nullptr);
  if (!candidate) return false;
  candidate->place = node.place;
  Diagnostics ignored;
  return Check{key, *candidate, option, ignored, false}.value().has_value();
}

/// How to write what was meant. A shell takes quotes away, so that those of TOML need others around them.
std::string Check::hint_of(const std::string& toml) const {
  const bool quotes = toml.find('"') != std::string::npos;
  if (quotes && node.place.source && !node.place.source->file)
    return fmt::format("write it in quotes, and these in those of the shell: --set '{}={}'", key, toml);
  if (node.string() && toml == *node.string()) return fmt::format("write {} without quotes", toml);
  if (quotes && toml.front() == '"') return fmt::format("write it in quotes: {}", toml);
  return fmt::format("write {}", toml);
}

// Says how to write it where what was meant is plain.
std::nullopt_t Check::wrong_type() const {
  if (!advises) return std::nullopt;
  const std::string text = written(node);
  const auto toml = meant(text, [&](const std::string& candidate) { return takes(candidate); });
  std::string hint = toml ? hint_of(*toml) : null_hint(text);
  if (option.declaration.type == OptionType::string_list && is_list_edit(node))
    hint = "no file below has a list to change";
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

std::optional<double> number_in(const TomlNode& node) {
  if (const auto* i = std::get_if<std::int64_t>(&node.value)) return static_cast<double>(*i);
  if (const auto* d = std::get_if<double>(&node.value)) return *d;
  return std::nullopt;
}

std::optional<OptionValue> Check::number() const {
  const std::optional<double> given = number_in(node);
  if (!given) return wrong_type();
  const double value = *given;
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
  const auto expanded = expand_home(text);
  if (!expanded)
    return fail(Fault::bad_value, fmt::format("\"{}\" begins with a home folder that is not known", key),
                fmt::format("what is itself called so is written \"./{}\"", text));
  const std::filesystem::path folder =
      node.place.source ? node.place.source->folder : std::filesystem::path();
  return (std::filesystem::absolute(folder) / *expanded).lexically_normal().string();
}

/// The units with which a bare number would be taken.
std::string Check::unit_hint() const {
  if (!advises) return {};
  using Units = std::vector<const char*>;
  const Units all = option.length                                     ? Units{"it", "ep", "samples", "%"}
                    : option.interval                                 ? Units{"s", "it"}
                    : option.declaration.type == OptionType::duration ? Units{"s", "min", "h"}
                                                                      : Units{"B", "MiB", "GiB"};
  std::vector<std::string> texts;
  for (const char* unit : all)
    if (const std::string text = toml_string(written(node) + unit); takes(text)) texts.push_back(text);
  if (texts.empty()) return null_hint(written(node));
  const std::string last = texts.back();
  texts.pop_back();
  if (texts.empty()) return "write " + last;
  return fmt::format("which is it: {} or {}?", fmt::join(texts, ", "), last);
}

std::optional<OptionValue> Check::quantity() const {
  if (!node.string() && written(node).empty()) return wrong_type();
  if (std::holds_alternative<bool>(node.value)) return wrong_type();
  if (!node.string())
    return fail(Fault::wrong_unit, fmt::format("\"{}\" is a number without a unit", key), unit_hint());
  const std::string& text = *node.string();
  if (option.interval) {
    if (const auto interval = parse_interval(text)) return format_interval(*interval);
  } else if (option.length) {
    if (const auto length = parse_length(text)) return format_length(*length);
  } else if (option.declaration.type == OptionType::duration) {
    if (const auto seconds = parse_duration(text)) return in_range(*seconds, *seconds);
  } else if (const auto bytes = parse_size(text)) {
    return in_range(static_cast<double>(*bytes), *bytes);
  }
  return fail(Fault::wrong_unit, fmt::format("\"{}\" cannot be \"{}\"", key, text), unit_hint());
}

std::optional<OptionValue> Check::list() const {
  if (!node.array()) return wrong_type();
  std::vector<std::string> result;
  for (std::size_t i = 0; i < node.array()->size(); ++i) {
    const TomlNode& element = (*node.array())[i];
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

std::optional<OptionValue> Check::numbers() const {
  if (const auto one = number_in(node); one && std::isfinite(*one))
    return fail(Fault::wrong_type, fmt::format("\"{}\" is {}", key, type_name(node)),
                fmt::format("write [{}]", written(node)));
  if (!node.array()) return wrong_type();
  const OptionDeclaration& d = option.declaration;
  std::vector<double> result;
  for (const TomlNode& element : *node.array()) {
    const auto refuse = [&](Fault fault, std::string_view what) {
      return fail(fault, fmt::format("\"{}\" has {} in it", key, what), {}, &element.place);
    };
    const std::optional<double> value = number_in(element);
    if (!value) return refuse(Fault::wrong_type, type_name(element));
    if (!std::isfinite(*value)) return refuse(Fault::bad_value, "a number that is not finite");
    if (*value < d.minimum || *value > d.maximum) return refuse(Fault::out_of_range, written(element));
    if (option.whole && std::floor(*value) != *value)
      return refuse(Fault::bad_value, "a number that is not whole");
    result.push_back(*value);
  }
  return result;
}

std::optional<OptionValue> Check::value() const {
  if (option.interval || option.length) return quantity();
  switch (option.declaration.type) {
    case OptionType::boolean:
      if (const bool* b = std::get_if<bool>(&node.value)) return *b;
      return wrong_type();
    case OptionType::integer:
      return integer();
    case OptionType::number:
      return number();
    case OptionType::string:
      return text();
    case OptionType::path:
      return path();
    case OptionType::duration:
    case OptionType::size:
      return quantity();
    case OptionType::string_list:
      return list();
    case OptionType::number_list:
      return numbers();
  }
  return std::nullopt;
}

}  // namespace

std::optional<OptionValue> check_value(const std::string& key, const TomlNode& node, const OptionRule& option,
                                       Diagnostics& diagnostics) {
  return Check{key, node, option, diagnostics}.value();
}

}  // namespace halfling::config
