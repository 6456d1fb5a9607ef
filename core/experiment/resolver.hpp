// SPDX-License-Identifier: Apache-2.0
// One document, all layers merged -> one checked trial.
#pragma once

#include <map>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "experiment/catalog.hpp"
#include "experiment/diagnostics.hpp"
#include "experiment/experiment.hpp"
#include "experiment/value.hpp"

namespace halfling::config {

/// The default of a declaration as Options deliver it. Throws Error (failure) where the declaration itself is
/// wrong; `owner` is who made it: "adam 0.1.0".
OptionValue default_value(const OptionRule& rule, const std::string& owner);

/// The options of a plugin that the catalogue has; for the backend "auto", those that every backend has.
std::vector<OptionRule> rules_of(const PluginCatalog& catalog, std::string_view kind, std::string_view use);

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
  std::string read_use(Section& section, std::string_view kind);
  Choice read_choice(std::string_view kind);
  void read_operations(const Section& optimizer);
  void read_settings();
  void read_budget();
  void check_name(const std::string& name);
  std::string document() const;
  void add_line(const Section& section, const std::string& key, std::string value, const Node* node);

  const PluginCatalog& catalog_;
  Diagnostics& diagnostics_;
  std::map<DefaultKey, OptionValue> defaults_;  ///< read once for all trials

  const Table* root_ = nullptr;
  Place file_;
  Experiment result_;
  std::vector<Line> lines_;
};

}  // namespace halfling::config
