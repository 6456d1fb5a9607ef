// SPDX-License-Identifier: Apache-2.0
#include "experiment/advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "experiment/resolver.hpp"
#include "experiment/toml_reader.hpp"
#include "experiment/value.hpp"

namespace halfling::config {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

bool digit(const std::string& text, std::size_t at) {
  return at < text.size() && std::isdigit(static_cast<unsigned char>(text[at]));
}

/// As TOML wants it: a digit before and after the point, no other zeros in front, no suffix of C. What comes
/// out may still be no number.
std::string toml_number(std::string_view written) {
  std::string text(written), sign;
  if (text.starts_with('+') || text.starts_with('-')) sign = text.substr(0, 1), text.erase(0, 1);
  std::erase(text, '_');
  const bool prefixed =
      text.size() > 1 && text[0] == '0' && std::isalpha(static_cast<unsigned char>(text[1]));
  if (prefixed && std::tolower(text[1]) != 'e') {
    text[1] = static_cast<char>(std::tolower(text[1]));
    return text;
  }
  if (!text.empty() && std::string_view("fFlLdD").find(text.back()) != std::string_view::npos)
    text.pop_back();
  if (text.starts_with('.')) text.insert(0, "0");
  if (const std::size_t point = text.find('.'); point != std::string::npos && !digit(text, point + 1))
    text.replace(point, 1, point + 1 == text.size() ? ".0" : "");
  while (text[0] == '0' && digit(text, 1)) text.erase(0, 1);
  return sign == "-" ? sign + text : text;
}

/// "1e5" as an integer: "100000".
std::string whole_number(const std::string& number) {
  const auto node = read_toml_value(number, nullptr);
  const auto* value = node ? std::get_if<double>(&node->value) : nullptr;
  const bool whole = value && *value == std::floor(*value) && std::abs(*value) < 0x1p53;
  return whole ? fmt::format("{:.0f}", *value) : std::string{};
}

std::string boolean_word(std::string_view written) {
  const std::string word = lower(written);
  for (const char* yes : {"true", "yes", "on", "1"})
    if (word == yes) return "true";
  for (const char* no : {"false", "no", "off", "0"})
    if (word == no) return "false";
  return {};
}

}  // namespace

std::optional<std::string> meant(std::string_view written, const Takes& takes) {
  if (written.empty()) return std::nullopt;
  const std::string number = toml_number(written), text = toml_string(written);
  for (const std::string& candidate :
       {std::string(written), number, whole_number(number), boolean_word(written), text, "[" + text + "]"})
    if (!candidate.empty() && takes(candidate)) return candidate;
  return std::nullopt;
}

std::string null_hint(std::string_view written) {
  const std::string word = lower(written);
  if (word != "none" && word != "null" && word != "nil") return {};
  return "TOML has no null; what is left out has its default";
}

std::vector<OptionRule> Advisor::rules(const std::string& key) const {
  const std::size_t dot = key.find('.'), last = key.rfind('.');
  const std::string table = key.substr(0, dot), name = key.substr(last + 1);
  std::vector<OptionRule> result;
  const CoreTable* core = core_table(table);
  if (!core || dot == std::string::npos) return result;
  const auto add = [&](const OptionRule& rule) {
    if (rule.declaration.name == name) result.push_back(rule);
  };
  std::ranges::for_each(core->options, add);
  if (core->scheduled && key.find(std::string(".") + schedule_table + ".") != std::string::npos)
    std::ranges::for_each(schedule_rules(), add);
  if (core->plugins != Plugins::none)
    for (const std::string& plugin : catalog_.names(table))
      std::ranges::for_each(rules_of(catalog_, *core, plugin), add);
  return result;
}

Advisor::Advice Advisor::advice(const std::string& key, std::string_view written) const {
  const std::vector<OptionRule> known = rules(key);
  const auto taken = meant(written, [&](const std::string& toml) {
    const auto node = read_toml_value(toml, nullptr);
    if (!node || known.empty()) return node && (node->string() || !key.ends_with(".use"));
    Diagnostics ignored;
    return std::ranges::any_of(known, [&](const OptionRule& rule) {
      if (rule.declaration.type == OptionType::path) return node->string() != nullptr;
      return check_value(key, *node, rule, ignored).has_value();
    });
  });
  const std::string expected = known.empty() ? std::string{} : accepted(known.front());
  if (!taken) return {expected, null_hint(written)};
  const std::string assignment = key.substr(key.rfind('.') + 1) + " = " + *taken;
  const bool text = taken->front() == '"' || taken->front() == '[';
  return {{}, (text ? "texts stand in quotes: " : "write ") + assignment};
}

}  // namespace halfling::config
