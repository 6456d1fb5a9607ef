// SPDX-License-Identifier: Apache-2.0
// How a table that names a plugin is read.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/suggest.hpp"
#include "experiment/resolver.hpp"

namespace halfling::config {
namespace {

bool is_automatic(const CoreTable& table, std::string_view use) {
  return table.automatic && use == automatic_use;
}

}  // namespace

std::vector<std::string> uses_of(const PluginCatalog& catalog, const CoreTable& table) {
  std::vector<std::string> names = catalog.names(table.name);
  if (table.automatic) names.insert(names.begin(), automatic_use);
  return names;
}

std::vector<OptionRule> rules_of(const PluginCatalog& catalog, const CoreTable& table, std::string_view use) {
  std::vector<OptionRule> rules;
  const bool any = is_automatic(table, use);
  const auto names = any ? catalog.names(table.name) : std::vector<std::string>{std::string(use)};
  for (std::size_t i = 0; i < names.size(); ++i) {
    const PluginDescriptor* plugin = catalog.descriptor(table.name, names[i]);
    const std::span declared(plugin->options, plugin->option_count);
    if (i == 0) {
      for (const OptionDeclaration& option : declared) rules.push_back({option});
      continue;
    }
    std::erase_if(rules, [&](const OptionRule& rule) {
      return std::none_of(declared.begin(), declared.end(), [&](const OptionDeclaration& option) {
        return std::string_view(option.name) == rule.declaration.name && option.type == rule.declaration.type;
      });
    });
  }
  return rules;
}

/// Without `use`, only keys that are near to it can be called wrong.
void Resolver::check_misspelt_use(const Section& section) {
  const std::vector<std::string> use{"use"};
  for (const Entry& entry : *section.given) {
    if (suggest(entry.key, use).empty()) continue;
    presumed_.insert(section.name + ".use");
    diagnostics_.add({Fault::unknown_key, entry.place,
                      fmt::format("unknown key \"{}.{}\"", section.name, entry.key), "use",
                      did_you_mean(entry.key, use)});
  }
}

// The plugin's name, empty where it is not usable (and reported).
std::string Resolver::read_use(const CoreTable& table, const Section& section) {
  const std::string_view kind = table.name;
  const std::vector<std::string> names = uses_of(catalog_, table);
  const std::string expected =
      names.empty() ? fmt::format("a plugin, but no {} was found: see `halfling plugins`", kind)
                    : fmt::format("one of \"{}\"", fmt::join(names, "\", \""));
  const Entry* entry = section.given ? find(*section.given, "use") : nullptr;
  if (!entry) {
    if (table.automatic) return add_line(section, "use", toml_string(automatic_use), nullptr), automatic_use;
    if (section.given) check_misspelt_use(section);
    report_missing(section.name + ".use",
                   {Fault::missing_key, section.header, fmt::format("\"{}.use\" is missing", section.name),
                    expected, section.given ? "" : fmt::format("add a table [{}] with the key use", kind)});
    return {};
  }
  const std::string* use = entry->node.string();
  if (!use) {
    diagnostics_.add({Fault::wrong_type, entry->node.place,
                      fmt::format("\"{}.use\" is {}", section.name, type_name(entry->node)), expected});
    return {};
  }
  if (std::find(names.begin(), names.end(), *use) == names.end()) {
    const std::string lacking = catalog_.not_built(kind, *use), missing = catalog_.missing_hint(kind, *use);
    diagnostics_.add({Fault::unknown_plugin, entry->node.place,
                      lacking.empty() ? fmt::format("no {} is named \"{}\"", kind, *use)
                                      : fmt::format("{} \"{}\" was not built", kind, *use),
                      expected,
                      !lacking.empty()  ? lacking
                      : missing.empty() ? did_you_mean(*use, names)
                                        : missing});
    return {};
  }
  add_line(section, "use", toml_string(*use), &entry->node);
  return *use;
}

/// Its options are those of the plugin.
void Resolver::set_plugin(const CoreTable& table, const std::string& use, Section& section) const {
  section.rules = rules_of(catalog_, table, use);
  section.with_defaults = !is_automatic(table, use);
  if (const PluginDescriptor* plugin = catalog_.descriptor(table.name, use))
    section.owner = fmt::format("{} {}", plugin->name, plugin->version);
}

ComponentTable Resolver::read_component(const CoreTable& table, const Section& given) {
  ComponentTable result;
  Section section = given;
  result.choice.use = read_use(table, section);
  if (!result.choice.use.empty()) {
    set_plugin(table, result.choice.use, section);
    section.other_keys = {"use"};
    if (table.plugins == Plugins::list) section.other_keys.emplace_back("name");
    for (const OptionRule& rule : given.rules) section.other_keys.emplace_back(rule.declaration.name);
    if (table.per_operation) section.other_keys.emplace_back("operation");
    if (table.scheduled) section.other_keys.emplace_back(schedule_table);
    read_options(section, result.choice.options);
  }
  for (const OptionRule& rule : given.rules) read_option(given, rule, result.own);
  if (table.scheduled) read_schedule(given, result.schedule);
  if (table.per_operation && !result.choice.use.empty()) read_operations(table, section, result);
  return result;
}

ComponentTable Resolver::read_component(std::string_view kind) {
  const Section given = section(kind);
  return given.readable ? read_component(*core_table(kind), given) : ComponentTable{};
}

}  // namespace halfling::config
