// SPDX-License-Identifier: Apache-2.0
#include "experiment/declared_options.hpp"

#include <algorithm>
#include <set>
#include <string>

#include "experiment/resolver.hpp"

namespace halfling {
namespace {

using namespace config;

/// As keys of experiments are written, so that no quotes are needed.
bool is_key(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

/// What the table of such a plugin has beside the plugin's options.
std::set<std::string> keys_of(const CoreTable& table) {
  std::set<std::string> keys{"use"};
  for (const OptionRule& rule : table.options) keys.insert(rule.declaration.name);
  if (table.plugins == Plugins::list) keys.insert("name");
  if (table.per_operation) keys.insert("operation");
  if (table.scheduled) keys.insert(schedule_table);
  return keys;
}

ErrorDetails fault(const char* what, std::string got, const char* expected) {
  return {.what = what, .got = std::move(got), .expected = expected};
}

/// The first fault of one declaration; its own `what` is empty where there is none. `taken` grows.
ErrorDetails fault_of(const OptionDeclaration& option, std::set<std::string>& taken) {
  const std::string name = option.name == nullptr ? "" : option.name;
  if (!is_key(name)) return fault("an option's name is no key", name, "letters, digits and _");
  if (!taken.insert(name).second)
    return fault("an option's name is taken", name, "a name that neither the table nor another option has");
  if (option.help == nullptr || *option.help == '\0') return fault("an option has no help", {}, "one line");
  if (option.type < OptionType::boolean || option.type > OptionType::number_list)
    return fault("an option's type is unknown", std::to_string(static_cast<int>(option.type)),
                 "one of OptionType");
  if (option.default_toml == nullptr) return {};
  try {
    default_value({option}, {});
  } catch (const Error& error) {
    return error.details();
  }
  return {};
}

}  // namespace

std::vector<ErrorDetails> declaration_faults(const PluginDescriptor& plugin) {
  std::vector<ErrorDetails> faults;
  const CoreTable* table = core_table(plugin.kind);
  std::set<std::string> taken = table ? keys_of(*table) : std::set<std::string>{};
  for (const OptionDeclaration& option : std::span(plugin.options, plugin.option_count)) {
    ErrorDetails found = fault_of(option, taken);
    if (found.what.empty()) continue;
    found.where = std::string(plugin.kind) + "." + (option.name == nullptr ? "" : option.name);
    found.hint.clear();
    faults.push_back(std::move(found));
  }
  return faults;
}

}  // namespace halfling
