// SPDX-License-Identifier: Apache-2.0
// One document, all layers merged -> one checked trial.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "experiment/diagnostics.hpp"
#include "experiment/experiment.hpp"
#include "experiment/value.hpp"
#include "plugin/catalog.hpp"

namespace halfling::config {

/// The default of a declaration as Options deliver it. Throws Error (failure) where the declaration itself is
/// wrong; `owner` is who made it: "adam 0.1.0".
OptionValue default_value(const OptionRule& rule, const std::string& owner);

/// What `use` of a component table may be.
std::vector<std::string> uses_of(const PluginCatalog& catalog, const CoreTable& table);
/// The options of a plugin that the catalogue has; with "auto", those that every plugin of the kind has.
std::vector<OptionRule> rules_of(const PluginCatalog& catalog, const CoreTable& table, std::string_view use);

/// nullopt where the option is optional, or was not readable.
template <class T>
std::optional<T> optional_value(const Options& options, std::string_view name) {
  const auto found = options.values().find(name);
  if (found == options.values().end()) return std::nullopt;
  return std::get<T>(found->second);
}

/// A component table, read.
struct ComponentTable {
  Choice choice;
  Options own;  ///< of the table, not of the plugin
  Options schedule;
  /// What a training operation has of its own.
  struct Operation {
    Choice choice;
    Options schedule;
  };
  std::map<std::string, Operation, std::less<>> operations;
};

/// Resolves the trials of one experiment, one after the other.
class Resolver {
 public:
  Resolver(const PluginCatalog& catalog, Diagnostics& diagnostics)
      : catalog_(catalog), diagnostics_(diagnostics) {}

  /// Reports what is wrong; the result is then of no use. `file` stands for what is missing.
  Experiment resolve(const Table& root, const Place& file);

 private:
  /// One table's keys, while it is read.
  struct Section {
    std::string name;              ///< "optimizer.operation.d"
    const Table* given = nullptr;  ///< nullptr where the document has no such table
    Place header;                  ///< stands for what is missing
    std::vector<OptionRule> rules;
    std::vector<std::string> other_keys;  ///< known, but read elsewhere: "use"
    std::string owner;                    ///< whose defaults they are: "adam 0.1.0"; empty: core's
    bool with_defaults = true;
    bool readable = true;  ///< false: something else than a table has its name
  };
  /// One line of the resolved document.
  struct Line {
    std::string table;
    std::string key;
    Origin origin;
  };

  using DefaultKey = std::tuple<std::string_view, std::string_view, OptionType>;  ///< name, text, type

  Section section(std::string_view table) const;
  void check_tables(const Table& root);
  void check_keys(const Section& section);
  void read_options(const Section& section, Options& options);
  void read_option(const Section& section, const OptionRule& rule, Options& options);
  Options read_core(std::string_view table);
  std::string read_use(const CoreTable& table, const Section& section);
  void check_misspelt_use(const Section& section);
  ComponentTable read_component(std::string_view kind);
  ComponentTable read_component(const CoreTable& table, const Section& given);
  void set_plugin(const CoreTable& table, const std::string& use, Section& section) const;
  std::vector<NamedChoice> read_list(std::string_view kind);
  std::optional<NamedChoice> read_element(const CoreTable& table, const Entry& element,
                                          const std::vector<std::string>& names);
  void report_not_removed(std::string_view kind, const Array& remove, const std::vector<std::string>& names);
  void read_operations(const CoreTable& table, const Section& component, ComponentTable& result);
  ComponentTable::Operation read_operation(const CoreTable& table, Section section,
                                           const ComponentTable& component);
  void read_schedule(const Section& component, Options& schedule);
  void check_shares(const Section& schedule);
  void read_settings();
  void read_budget();
  void check_name(const std::string& name);
  /// The resolved experiment as TOML; or only what identifies the trial.
  std::string document(bool whole) const;
  void report_missing(const std::string& key, const Diagnostics::Report& report);
  void add_line(const Section& section, const std::string& key, std::string value, const TomlNode* node);

  const PluginCatalog& catalog_;
  Diagnostics& diagnostics_;
  std::map<DefaultKey, OptionValue> defaults_;  ///< read once for all trials

  const Table* root_ = nullptr;
  Place file_;
  Experiment result_;
  std::vector<Line> lines_;
  bool budget_decides_ = false;     ///< a length is a share of the budget
  std::set<std::string> presumed_;  ///< tables and keys that a misspelt one was probably meant to be
};

}  // namespace halfling::config
