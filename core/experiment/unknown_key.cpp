// SPDX-License-Identifier: Apache-2.0
#include "experiment/unknown_key.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

#include "base/suggest.hpp"
#include "experiment/core_tables.hpp"

namespace halfling::config {
namespace {

bool declares(const PluginDescriptor* plugin, std::string_view key) {
  if (!plugin) return false;
  for (const OptionDeclaration& option : std::span(plugin->options, plugin->option_count))
    if (option.name == key) return true;
  return false;
}

/// True of a key of what the table, or an element of it, uses.
bool is_option(std::string_view key, const CoreTable& table, const TomlNode* node,
               const PluginCatalog& catalog) {
  if (!node || !node->table()) return false;
  if (table.plugins == Plugins::list)
    return std::ranges::any_of(*node->table(), [&](const Entry& element) {
      return element.key != "remove" && is_option(key, {.name = table.name}, &element.node, catalog);
    });
  const Entry* use = find(*node->table(), "use");
  return use && use->node.string() && declares(catalog.descriptor(table.name, *use->node.string()), key);
}

// The key is right, but stands in the wrong table.
std::string right_table(std::string_view key, std::string_view table, const Table& root,
                        const PluginCatalog& catalog) {
  std::vector<std::string> tables;
  for (const CoreTable& other : core_tables()) {
    if (other.name == table) continue;
    const bool known =
        stays_on_swap(other.name, key) || is_option(key, other, at_path(root, {other.name}), catalog);
    const bool list = other.plugins == Plugins::list;
    if (known) tables.push_back(fmt::format("{}{}{}", list ? "[[" : "[", other.name, list ? "]]" : "]"));
  }
  return tables.empty() ? "" : fmt::format("\"{}\" is a key of {}", key, fmt::join(tables, ", "));
}

// The key is right, but for another plugin of this kind.
std::string right_plugin(std::string_view key, std::string_view table, const PluginCatalog& catalog) {
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
