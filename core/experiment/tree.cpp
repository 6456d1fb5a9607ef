// SPDX-License-Identifier: Apache-2.0
#include "experiment/tree.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "experiment/core_tables.hpp"
#include "experiment/element_list.hpp"
#include "experiment/list_edit.hpp"
#include "experiment/units.hpp"

namespace halfling::config {

Entry* find(Table& table, std::string_view key) {
  const auto found = std::find_if(table.begin(), table.end(), [&](const Entry& e) { return e.key == key; });
  return found == table.end() ? nullptr : &*found;
}

const Entry* find(const Table& table, std::string_view key) {
  return find(const_cast<Table&>(table), key);
}

void remove_key(Table& table, std::string_view key) {
  std::erase_if(table, [&](const Entry& e) { return e.key == key; });
}

std::vector<std::string> split_path(std::string_view path) {
  std::vector<std::string> parts(1);
  for (const char c : path) {
    if (c == '.')
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

const TomlNode* at_path(const Table& table, const std::vector<std::string>& path) {
  const Table* level = &table;
  const TomlNode* node = nullptr;
  for (const std::string& part : path) {
    const Entry* entry = level ? find(*level, part) : nullptr;
    if (!entry) return nullptr;
    node = &entry->node;
    level = node->table();
  }
  return node;
}

void put(Table& table, const std::vector<std::string>& path, const Place& key, TomlNode value) {
  Table* level = &table;
  for (std::size_t i = 0; i < path.size(); ++i) {
    Entry* entry = find(*level, path[i]);
    if (!entry) {
      level->push_back({path[i], key, {Table{}, key, {}, {}}});
      entry = &level->back();
    }
    if (i + 1 == path.size()) {
      entry->place = key;
      entry->node = std::move(value);
      return;
    }
    if (!entry->node.table()) entry->node.value = Table{};
    level = &std::get<Table>(entry->node.value);
  }
}

namespace {

/// What a table is of: the plugin that it uses, the kind of a schedule.
struct Selector {
  std::string table;  ///< "optimizer.operation.d"
  std::string_view component;
  const char* key;  ///< "use"
};

std::string choice_in(const TomlNode& node, const char* key) {
  const Entry* choice = node.table() ? find(*node.table(), key) : nullptr;
  return choice && choice->node.string() ? *choice->node.string() : std::string{};
}

// A new plugin does not know the options of the old one (they would be errors, or worse, mean something
// else).
void drop_swapped(const Selector& of, TomlNode& base, const TomlNode& over, std::vector<std::string>& notes) {
  const std::string before = choice_in(base, of.key), after = choice_in(over, of.key);
  if (before.empty() || after.empty() || before == after) return;
  std::vector<std::string> dropped;
  std::erase_if(std::get<Table>(base.value), [&](const Entry& entry) {
    if (entry.key == of.key || stays_on_swap(of.component, entry.key)) return false;
    dropped.push_back(entry.key);
    return true;
  });
  if (dropped.empty()) return;
  notes.push_back(
      fmt::format("{}: note: {} changes from \"{}\" to \"{}\"; dropped what was set for \"{}\": {}",
                  text_of(find(*over.table(), of.key)->node.place), of.table, before, after, before,
                  fmt::join(dropped, ", ")));
}

/// The same in a component table's schedule, and in its tables for single operations.
void drop_swapped_inside(const Selector& of, TomlNode& base, const TomlNode& over,
                         std::vector<std::string>& notes) {
  const auto each = [&](const char* key, const auto& f) {
    Entry* old = base.table() ? find(std::get<Table>(base.value), key) : nullptr;
    const Entry* entry = over.table() ? find(*over.table(), key) : nullptr;
    if (old && entry && old->node.table() && entry->node.table()) f(old->node, entry->node);
  };
  each(schedule_table, [&](TomlNode& old, const TomlNode& entry) {
    drop_swapped({fmt::format("{}.{}", of.table, schedule_table), "", "kind"}, old, entry, notes);
  });
  each("operation", [&](TomlNode& old, const TomlNode& entry) {
    for (const Entry& operation : *entry.table()) {
      Entry* known = find(std::get<Table>(old.value), operation.key);
      if (!known || !known->node.table() || !operation.node.table()) continue;
      const Selector own{of.table + ".operation." + operation.key, of.component, "use"};
      drop_swapped(own, known->node, operation.node, notes);
      drop_swapped_inside(own, known->node, operation.node, notes);
    }
  });
}

void lay_over(Table& base, const Table& over, Diagnostics& diagnostics);

void lay_over(Entry& old, const Entry& entry, Diagnostics& diagnostics) {
  old.place = entry.place;
  if (is_list_edit(entry.node)) {
    if (old.node.array()) return edit_list(old.node, entry, diagnostics);
    if (is_list_edit(old.node)) return join_edits(old.node, entry.node);
  }
  if (old.node.table() && entry.node.table()) {
    old.node.place = entry.node.place;
    lay_over(std::get<Table>(old.node.value), *entry.node.table(), diagnostics);
    return;
  }
  std::vector<Place> history = entry.node.overrode;
  history.push_back(old.node.place);
  history.insert(history.end(), old.node.overrode.begin(), old.node.overrode.end());
  old.node = entry.node;
  old.node.overrode = std::move(history);
}

void lay_over(Table& base, const Table& over, Diagnostics& diagnostics) {
  for (const Entry& entry : over) {
    if (Entry* old = find(base, entry.key))
      lay_over(*old, entry, diagnostics);
    else
      base.push_back(entry);
  }
}

}  // namespace

void merge(Table& base, const Table& over, std::vector<std::string>& notes, Diagnostics& diagnostics) {
  Table layer = over;
  for (Entry& entry : layer) {
    const CoreTable* table = core_table(entry.key);
    Entry* old = table && table->plugins != Plugins::none ? find(base, entry.key) : nullptr;
    if (!old || !old->node.table() || !entry.node.table()) continue;
    if (table->plugins == Plugins::one) {
      const Selector component{entry.key, entry.key, "use"};
      drop_swapped(component, old->node, entry.node, notes);
      drop_swapped_inside(component, old->node, entry.node, notes);
      continue;
    }
    remove_elements(old->node, entry.node);
    for (const Entry& element : *entry.node.table())
      if (Entry* below = find(std::get<Table>(old->node.value), element.key))
        drop_swapped({entry.key + "." + element.key, entry.key, "use"}, below->node, element.node, notes);
  }
  lay_over(base, layer, diagnostics);
}

std::string_view type_name(const TomlNode& node) {
  constexpr std::string_view names[] = {"a boolean",      "an integer", "a number", "a string",
                                        "a date or time", "a list",     "a table"};
  return names[node.value.index()];
}

std::string short_text(const TomlNode& node) {
  if (const auto* b = std::get_if<bool>(&node.value)) return *b ? "true" : "false";
  if (const auto* i = std::get_if<std::int64_t>(&node.value)) return std::to_string(*i);
  if (const auto* d = std::get_if<double>(&node.value)) return format_number(*d);
  if (node.string()) return *node.string();
  std::string text;
  if (node.array()) {
    for (const TomlNode& element : *node.array()) text += (text.empty() ? "" : ",") + short_text(element);
    return "[" + text + "]";
  }
  if (node.table()) {
    for (const Entry& e : *node.table()) text += (text.empty() ? "" : ",") + e.key + "=" + short_text(e.node);
    return "{" + text + "}";
  }
  return "?";
}

bool same_value(const TomlNode& a, const TomlNode& b) {
  const auto number = [](const TomlNode& node) -> const std::int64_t* {
    return std::get_if<std::int64_t>(&node.value);
  };
  const auto* d = std::get_if<double>(number(a) ? &b.value : &a.value);
  const std::int64_t* i = number(a) ? number(a) : number(b);
  if (d && i) return *d == static_cast<double>(*i);
  return a.value.index() == b.value.index() && short_text(a) == short_text(b);
}

}  // namespace halfling::config
