// SPDX-License-Identifier: Apache-2.0
#include "experiment/keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "experiment/resolver.hpp"
#include "experiment/value.hpp"

namespace halfling {

using namespace config;

namespace {

void add_key(std::vector<KnownKey>& keys, const std::string& name, const std::vector<std::string>& choices) {
  auto known = std::find_if(keys.begin(), keys.end(), [&](const KnownKey& key) { return key.name == name; });
  if (known == keys.end()) known = keys.insert(keys.end(), {name, {}});
  for (const std::string& choice : choices)
    if (std::find(known->choices.begin(), known->choices.end(), choice) == known->choices.end())
      known->choices.push_back(choice);
}

/// `table` may be an element of a list: "transform.flip".
void add_option(std::vector<KnownKey>& keys, const std::string& table, const OptionRule& rule) {
  const OptionDeclaration& d = rule.declaration;
  std::vector<std::string> choices;
  if (d.choices) choices = choices_of(d);
  if (d.type == OptionType::boolean) choices = {"true", "false"};
  add_key(keys, table + "." + d.name, choices);
}

void add_options(std::vector<KnownKey>& keys, const std::string& table, std::span<const OptionRule> rules) {
  for (const OptionRule& rule : rules) add_option(keys, table, rule);
}

}  // namespace

std::vector<KnownKey> known_keys(const PluginCatalog& catalog) {
  std::vector<KnownKey> keys;
  for (const CoreTable& table : core_tables()) {
    const bool list = table.plugins == Plugins::list;
    if (table.plugins == Plugins::one)
      add_key(keys, std::string(table.name) + ".use", uses_of(catalog, table));
    if (!list) add_options(keys, table.name, table.options);
    if (table.scheduled)
      add_options(keys, fmt::format("{}.{}", table.name, schedule_table), schedule_rules());
    if (table.plugins == Plugins::none) continue;
    for (const std::string& name : catalog.names(table.name)) {
      const std::string where = list ? fmt::format("{}.{}", table.name, name) : table.name;
      if (list) add_key(keys, where + ".use", uses_of(catalog, table));
      if (list) add_options(keys, where, table.options);
      add_options(keys, where, rules_of(catalog, table, name));
    }
  }
  return keys;
}

}  // namespace halfling
