// SPDX-License-Identifier: Apache-2.0
#include "experiment/unknown_key.hpp"

#include <fmt/format.h>

#include <span>

#include "experiment/core_tables.hpp"
#include "plugin/suggest.hpp"

namespace halfling::config {
namespace {

bool declares(const PluginDescriptor* plugin, std::string_view key) {
  if (!plugin) return false;
  for (const OptionDeclaration& option : std::span(plugin->options, plugin->option_count))
    if (option.name == key) return true;
  return false;
}

std::string plugin_used(const Table& root, std::string_view kind) {
  const Node* use = at_path(root, {std::string(kind), "use"});
  return use && use->string() ? *use->string() : std::string{};
}

// The key is right, but stands in the wrong table.
std::string right_table(std::string_view key, std::string_view table, const Table& root,
                        const PluginCatalog& catalog) {
  for (const CoreTable& other : core_tables()) {
    if (other.name == table) continue;
    const bool known =
        stays_on_swap(other.name, key) ||
        (other.component && declares(catalog.descriptor(other.name, plugin_used(root, other.name)), key));
    if (known) return fmt::format("\"{}\" is a key of [{}]", key, other.name);
  }
  return {};
}

// The key is right, but for another plugin of this kind.
std::string right_plugin(std::string_view key, std::string_view table, const PluginCatalog& catalog) {
  if (!is_component(table)) return {};
  for (const std::string& name : catalog.names(table))
    if (declares(catalog.descriptor(table, name), key))
      return fmt::format("\"{}\" is an option of {} \"{}\"", key, table, name);
  return {};
}

}  // namespace

std::string unknown_key_hint(std::string_view key, std::string_view table,
                             const std::vector<std::string>& known, const Table& root,
                             const PluginCatalog& catalog) {
  if (std::string hint = right_table(key, table, root, catalog); !hint.empty()) return hint;
  if (std::string hint = right_plugin(key, table, catalog); !hint.empty()) return hint;
  return did_you_mean(key, known);
}

}  // namespace halfling::config
