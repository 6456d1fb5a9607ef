// SPDX-License-Identifier: Apache-2.0
// The tables of an experiment that belong to core, declared with the same data as a plugin's options.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "halfling/option.hpp"

namespace halfling::config {

struct OptionRule {
  OptionDeclaration declaration;
  bool optional = false;  ///< may be absent, and has no default
  bool interval = false;  ///< "30s" or "500it"; declared as string
  bool length = false;    ///< "5000it", "10ep", "640000samples", "80%"; declared as string
  bool whole = false;     ///< a list of whole numbers; declared as number_list
};

/// How many plugins a table names.
enum class Plugins {
  none,
  one,   ///< with `use`, and takes the plugin's options, too
  list,  ///< any number, each in a table of its own, [[NAME]]
};

struct CoreTable {
  const char* name;
  std::span<const OptionRule> options = {};
  Plugins plugins = Plugins::none;
  /// `use` may be "auto", and is where it is not given: the program chooses. Then only options that every
  /// plugin of the kind has can be given.
  const char* automatic = nullptr;  ///< what it chooses, for people
  bool per_operation = false;       ///< has tables [NAME.operation.OPERATION] with other values
  bool scheduled = false;           ///< has a table [NAME.schedule], each of its operations, too
  const char* usual = nullptr;      ///< the plugin that `halfling init` begins with
  /// Decides what is learned, and so which trial it is; false: how long it trains, and what is written down.
  bool identifies = true;
};

/// What has a table of this kind beside the options of its plugin: a learning rate's schedule.
inline constexpr const char* schedule_table = "schedule";
struct ScheduleKind {
  const char* name;
  std::span<const OptionRule> options;  ///< beside `kind`
};
/// In the order of ScheduleAttributes::Kind.
std::span<const ScheduleKind> schedule_kinds();
/// `kind`.
const OptionRule& schedule_kind_rule();
/// `kind` and what any kind has, each once.
std::vector<OptionRule> schedule_rules();

/// The value of `use` that leaves the choice to the program.
inline constexpr const char* automatic_use = "auto";

/// All tables, in the order of a resolved experiment.
std::span<const CoreTable> core_tables();
/// nullptr where there is none.
const CoreTable* core_table(std::string_view name);

/// True of a table, or the key in one, that decides which trial it is: "optimizer", "optimizer.beta1".
bool identifies(std::string_view key);
/// True of keys that belong to the table rather than to the plugin that it uses.
bool stays_on_swap(std::string_view table, std::string_view key);

}  // namespace halfling::config
