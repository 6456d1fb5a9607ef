// SPDX-License-Identifier: Apache-2.0
#include "experiment/keys.hpp"

#include <algorithm>

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

void add_option(std::vector<KnownKey>& keys, const std::string& table, const OptionRule& rule) {
  const OptionDeclaration& d = rule.declaration;
  std::vector<std::string> choices;
  if (d.choices) choices = choices_of(d);
  if (d.type == OptionType::boolean) choices = {"true", "false"};
  add_key(keys, table + "." + d.name, choices);
}

}  // namespace

std::vector<KnownKey> known_keys(const PluginCatalog& catalog) {
  std::vector<KnownKey> keys;
  for (const CoreTable& table : core_tables()) {
    std::vector<std::string> names;
    if (table.component) names = catalog.names(table.name);
    if (table.component) add_key(keys, std::string(table.name) + ".use", names);
    if (std::string_view(table.name) == "backend") add_key(keys, "backend.use", {"auto"});
    for (const OptionRule& rule : table.options) add_option(keys, table.name, rule);
    for (const std::string& name : names)
      for (const OptionRule& rule : rules_of(catalog, table.name, name)) add_option(keys, table.name, rule);
  }
  return keys;
}

}  // namespace halfling
