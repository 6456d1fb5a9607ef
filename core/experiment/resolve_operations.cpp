// SPDX-License-Identifier: Apache-2.0
// What a component table has beside its plugin's options: values for single training operations, a schedule.
#include <fmt/format.h>

#include <algorithm>

#include "experiment/resolver.hpp"
#include "experiment/units.hpp"

namespace halfling::config {
namespace {

bool is_bare_key(const std::string& key) {
  return !key.empty() && std::all_of(key.begin(), key.end(),
                                     [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '-'; });
}

/// Sorted: the order of a resolved document must not depend on the order of the keys.
std::vector<const Entry*> sorted(const Table& table) {
  std::vector<const Entry*> entries;
  for (const Entry& entry : table) entries.push_back(&entry);
  std::sort(entries.begin(), entries.end(), [](const Entry* a, const Entry* b) { return a->key < b->key; });
  return entries;
}

Diagnostics::Report no_table(const TomlNode& node, const std::string& key, const std::string& expected) {
  return {Fault::wrong_type, node.place, fmt::format("\"{}\" is {}", key, type_name(node)),
          fmt::format("a table: [{}]", expected)};
}

}  // namespace

void Resolver::read_operations(const CoreTable& table, const Section& component, ComponentTable& result) {
  const Entry* operations = component.given ? find(*component.given, "operation") : nullptr;
  if (!operations) return;
  const std::string expected = component.name + ".operation.NAME";
  if (!operations->node.table())
    return diagnostics_.add(no_table(operations->node, component.name + ".operation", expected));
  for (const Entry* entry : sorted(*operations->node.table())) {
    Section section = component;
    section.name += ".operation." + (is_bare_key(entry->key) ? entry->key : toml_string(entry->key));
    section.given = entry->node.table();
    section.header = entry->place;
    section.with_defaults = false;
    if (!section.given) {
      diagnostics_.add(no_table(entry->node, section.name, expected));
      continue;
    }
    ComponentTable::Operation operation = read_operation(table, section, result);
    if (!section.given->empty()) result.operations[entry->key] = std::move(operation);
  }
}

/// Over the component's values, unless it uses another plugin.
ComponentTable::Operation Resolver::read_operation(const CoreTable& table, Section section,
                                                   const ComponentTable& component) {
  ComponentTable::Operation result{component.choice, component.schedule};
  section.other_keys = {"use"};
  if (table.scheduled) section.other_keys.emplace_back(schedule_table);
  if (find(*section.given, "use")) {
    const std::string use = read_use(table, section);
    if (use.empty()) return result;
    if (use != component.choice.use) {
      result.choice = {use, {}};
      set_plugin(table, use, section);
    }
  }
  read_options(section, result.choice.options);
  if (table.scheduled) read_schedule(section, result.schedule);
  return result;
}

/// Over the schedule of the table above, unless it is of another kind.
void Resolver::read_schedule(const Section& component, Options& schedule) {
  const Entry* entry = component.given ? find(*component.given, schedule_table) : nullptr;
  if (!entry) return;
  Section section;
  section.name = component.name + "." + schedule_table;
  section.given = entry->node.table();
  section.header = entry->place;
  if (!section.given) return diagnostics_.add(no_table(entry->node, section.name, section.name));

  const std::string above = optional_value<std::string>(schedule, "kind").value_or("");
  Options own;
  if (above.empty() || find(*section.given, "kind")) read_option(section, schedule_kind_rule(), own);
  const std::string kind = optional_value<std::string>(own, "kind").value_or(above);
  const auto known = std::ranges::find(schedule_kinds(), kind, &ScheduleKind::name);
  if (known == schedule_kinds().end()) return;
  section.with_defaults = kind != above;
  if (section.with_defaults) schedule = {};
  schedule.set("kind", kind);
  section.other_keys = {"kind"};
  section.rules.assign(known->options.begin(), known->options.end());
  read_options(section, schedule);
  check_shares(section);
}

/// Updates are counted, so a share is of a budget that counts, too; and it makes the budget part of what is
/// learned.
void Resolver::check_shares(const Section& schedule) {
  const auto counted = [&](const char* key) { return at_path(*root_, {"budget", key}) != nullptr; };
  const bool counts = counted("iterations") || counted("epochs") || counted("samples");
  for (const Entry& entry : *schedule.given) {
    const auto length = entry.node.string() ? parse_length(*entry.node.string()) : std::nullopt;
    if (!length || length->percent == 0) continue;
    budget_decides_ = true;
    if (!counts)
      diagnostics_.add({Fault::bad_value, entry.node.place,
                        fmt::format("\"{}.{}\" is a share of a budget of time", schedule.name, entry.key),
                        "a share of a budget of iterations, epochs or samples",
                        "how many updates fit into a time is not known before: write a length such as "
                        "\"5000it\" or \"10ep\", or give the budget iterations"});
  }
}

}  // namespace halfling::config
