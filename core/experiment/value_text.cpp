// SPDX-License-Identifier: Apache-2.0
// The text side of values: what is accepted, and how a checked value is written.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "experiment/units.hpp"
#include "experiment/value.hpp"
#include "experiment/vars.hpp"

namespace halfling::config {

std::vector<std::string> choices_of(const OptionDeclaration& declaration) {
  std::vector<std::string> result(1);
  for (const char* c = declaration.choices; *c; ++c) {
    if (*c == '|')
      result.emplace_back();
    else
      result.back() += *c;
  }
  return result;
}

namespace {

constexpr const char* durations = R"("7min", "1h20m", "30s" or "250ms")";
constexpr const char* sizes = R"("512MiB", "2GiB" or "64kB")";
constexpr const char* intervals = R"(a duration ("30s", "5min") or a number of iterations ("500it"))";

constexpr const char* lengths =
    R"(iterations ("5000it"), epochs ("10ep"), samples ("640000samples") or a share of the budget ("80%"))";

std::string bound_text(double bound, OptionType type) {
  if (type == OptionType::duration) return format_duration(bound);
  if (type == OptionType::size) return format_size(static_cast<std::int64_t>(bound));
  if (bound == std::floor(bound) && std::abs(bound) <= 0x1p53) return fmt::format("{:.0f}", bound);
  return format_number(bound);
}

std::string with_range(std::string noun, const OptionDeclaration& d) {
  const bool low = std::isfinite(d.minimum), high = std::isfinite(d.maximum);
  if (low && high)
    return fmt::format("{} from {} to {}", noun, bound_text(d.minimum, d.type),
                       bound_text(d.maximum, d.type));
  if (low) return fmt::format("{}, at least {}", noun, bound_text(d.minimum, d.type));
  if (high) return fmt::format("{}, at most {}", noun, bound_text(d.maximum, d.type));
  return noun;
}

}  // namespace

std::string accepted(const OptionRule& option) {
  const OptionDeclaration& d = option.declaration;
  if (option.interval) return intervals;
  if (option.length) return lengths;
  switch (d.type) {
    case OptionType::boolean:
      return "true or false";
    case OptionType::integer:
      return with_range("an integer", d);
    case OptionType::number:
      return with_range("a number", d);
    case OptionType::string:
      if (d.choices) return fmt::format("one of \"{}\"", fmt::join(choices_of(d), "\", \""));
      return "a text in quotes";
    case OptionType::path:
      return "a path in quotes";
    case OptionType::duration:
      return with_range(fmt::format("a duration such as {}", durations), d);
    case OptionType::size:
      return with_range(fmt::format("a size such as {}", sizes), d);
    case OptionType::string_list:
      return "a list of texts such as [\"a\", \"b\"]";
    case OptionType::number_list:
      return with_range("a list of numbers such as [0.5, 0.25], each", d);
  }
  return {};
}

std::string toml_string(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      result += {'\\', c};
    else if (byte < 0x20 || byte == 0x7f)
      result += fmt::format("\\u{:04X}", byte);
    else
      result += c;
  }
  return result + '"';
}

namespace {
struct ToText {
  const OptionRule& option;
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(std::int64_t value) const {
    return option.declaration.type == OptionType::size ? toml_string(format_size(value))
                                                       : std::to_string(value);
  }
  std::string operator()(double value) const {
    return option.declaration.type == OptionType::duration ? toml_string(format_duration(value))
                                                           : format_number(value);
  }
  std::string operator()(const std::string& value) const { return toml_string(escape_references(value)); }
  std::string operator()(const std::vector<std::string>& value) const {
    std::string text = "[";
    for (const std::string& element : value)
      text += (text.size() > 1 ? ", " : "") + toml_string(escape_references(element));
    return text + "]";
  }
  std::string operator()(const std::vector<double>& value) const {
    std::string text = "[";
    for (const double element : value) text += (text.size() > 1 ? ", " : "") + format_number(element);
    return text + "]";
  }
};
}  // namespace

std::string toml_text(const OptionValue& value, const OptionRule& option) {
  return std::visit(ToText{option}, value);
}

}  // namespace halfling::config
