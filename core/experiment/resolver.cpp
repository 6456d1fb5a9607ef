// SPDX-License-Identifier: Apache-2.0
// How any table is read: keys known, values right, defaults filled in.
#include "experiment/resolver.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/suggest.hpp"
#include "experiment/toml_reader.hpp"
#include "experiment/unknown_key.hpp"

namespace halfling::config {

OptionValue default_value(const OptionRule& rule, const std::string& owner) {
  const OptionDeclaration& d = rule.declaration;
  Diagnostics faults;
  const auto node = read_toml_value(d.default_toml, nullptr);
  const auto value = node ? check_value(d.name, *node, rule, faults) : std::nullopt;
  if (value) return *value;
  throw Error({.what = fmt::format("the option \"{}\" declares a default that it does not accept", d.name),
               .where = owner,
               .got = d.default_toml,
               .expected = accepted(rule),
               .hint = "this is a fault of the plugin, not of the experiment"});
}

Resolver::Section Resolver::section(std::string_view table) const {
  Section result;
  result.name = table;
  result.header = file_;
  for (const OptionRule& rule : core_table(table)->options) result.rules.push_back(rule);
  const Entry* entry = find(*root_, table);
  if (!entry) return result;
  if (!entry->node.table()) {  // reported already; what would be in it is not missing, too
    result.readable = false;
    return result;
  }

  result.given = entry->node.table();
  result.header = entry->place;
  return result;
}

void Resolver::check_tables(const Table& root) {
  std::vector<std::string> known;
  for (const CoreTable& table : core_tables()) known.emplace_back(table.name);
  known.insert(known.end(), {"vars", "sweep", "extends"});
  for (const Entry& entry : root) {
    const bool is_table = entry.node.table();
    const CoreTable* table = core_table(entry.key);
    if (!table) {
      presumed_.insert(suggest(entry.key, known));
      diagnostics_.add({Fault::unknown_key, entry.place,
                        fmt::format("unknown {} \"{}\"", is_table ? "table" : "key", entry.key),
                        fmt::format("{}", fmt::join(known, ", ")),
                        unknown_key_hint(entry.key, "", known, root, catalog_)});
    } else if (!is_table) {
      diagnostics_.add({Fault::wrong_type, entry.node.place,
                        fmt::format("\"{}\" is {}", entry.key, type_name(entry.node)),
                        table->plugins == Plugins::list ? fmt::format("tables: [[{}]]", entry.key)
                                                        : fmt::format("the table [{}]", entry.key),
                        entry.node.array() ? fmt::format("write [{}] in single brackets", entry.key) : ""});
    }
  }
}

void Resolver::check_keys(const Section& section) {
  if (!section.given) return;
  std::vector<std::string> known = section.other_keys;
  for (const OptionRule& rule : section.rules) known.emplace_back(rule.declaration.name);
  for (const Entry& entry : *section.given) {
    if (std::find(known.begin(), known.end(), entry.key) != known.end()) continue;
    const std::string table = section.name.substr(0, section.name.find('.'));
    presumed_.insert(section.name + "." + suggest(entry.key, known));
    diagnostics_.add({Fault::unknown_key, entry.place,
                      fmt::format("unknown key \"{}.{}\"", section.name, entry.key),
                      known.empty() ? "no keys here" : fmt::format("{}", fmt::join(known, ", ")),
                      unknown_key_hint(entry.key, table, known, *root_, catalog_)});
  }
}

/// Unless it is there under a misspelt name, or in what could not be read: that is reported already.
void Resolver::report_missing(const std::string& key, const Diagnostics::Report& report) {
  const bool misspelt = presumed_.contains(key) || presumed_.contains(key.substr(0, key.find('.')));
  if (!misspelt && !diagnostics_.incomplete()) diagnostics_.add(report);
}

void Resolver::add_line(const Section& section, const std::string& key, std::string value,
                        const TomlNode* node) {
  Line line{section.name, key, {section.name + "." + key, std::move(value), {}, {}}};
  if (node) {
    line.origin.place = node->place;
    line.origin.from = text_of(node->place);
    if (node->referred_from.source) line.origin.from += " by way of " + text_of(node->referred_from);
    for (const Place& place : node->overrode) line.origin.overrode.push_back(text_of(place));
  } else {
    line.origin.from = section.owner.empty() ? "default" : "default of " + section.owner;
  }
  lines_.push_back(std::move(line));
}

void Resolver::read_option(const Section& section, const OptionRule& rule, Options& options) {
  const OptionDeclaration& d = rule.declaration;
  const std::string key = section.name + "." + d.name;
  const Entry* entry = section.given ? find(*section.given, d.name) : nullptr;
  if (entry) {
    auto value = check_value(key, entry->node, rule, diagnostics_);
    if (!value) return;
    add_line(section, d.name, toml_text(*value, rule), &entry->node);
    options.set(d.name, std::move(*value));
  } else if (!section.with_defaults || rule.optional) {
    return;
  } else if (!d.default_toml) {
    report_missing(key, {Fault::missing_key, section.header, fmt::format("\"{}\" is missing", key),
                         fmt::format("{} ({})", accepted(rule), d.help)});
  } else {
    const DefaultKey which{d.name, d.default_toml, d.type};
    auto known = defaults_.find(which);
    if (known == defaults_.end()) known = defaults_.emplace(which, default_value(rule, section.owner)).first;
    add_line(section, d.name, toml_text(known->second, rule), nullptr);
    options.set(d.name, known->second);
  }
}

void Resolver::read_options(const Section& section, Options& options) {
  if (!section.readable) return;
  check_keys(section);
  for (const OptionRule& rule : section.rules) read_option(section, rule, options);
}

Options Resolver::read_core(std::string_view table) {
  Options options;
  read_options(section(table), options);
  return options;
}

}  // namespace halfling::config
