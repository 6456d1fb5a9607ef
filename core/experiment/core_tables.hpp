// SPDX-License-Identifier: Apache-2.0
// The tables of an experiment that belong to core, declared with the same data as a plugin's options.
#pragma once

#include <span>
#include <string_view>

#include "halfling/option.hpp"

namespace halfling::config {

struct OptionRule {
  OptionDeclaration declaration;
  bool optional = false;  ///< may be absent, and has no default
  bool interval = false;  ///< "30s" or "500it"; declared as string
};

struct CoreTable {
  const char* name;
  std::span<const OptionRule> options;
  bool component;  ///< names a plugin with `use`, and takes the plugin's options too
};

/// All tables, in the order of a resolved experiment.
std::span<const CoreTable> core_tables();
/// nullptr where there is none.
const CoreTable* core_table(std::string_view name);

bool is_component(std::string_view table);
/// True of keys that belong to the table rather than to the plugin that it uses.
bool stays_on_swap(std::string_view table, std::string_view key);

}  // namespace halfling::config
