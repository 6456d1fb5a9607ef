// SPDX-License-Identifier: Apache-2.0
// How a value should have been written. What is advised is always something that the option takes: a hint
// that the next run refuses is worse than none.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiment/core_tables.hpp"
#include "plugin/catalog.hpp"

namespace halfling::config {

/// Whether a value is taken, given as TOML text.
using Takes = std::function<bool(const std::string& toml)>;

/// The TOML text that was meant by what somebody wrote, with quotes or without: ".001" is 0.001, "yes" is
/// true, "7min" is "7min", "a" may be ["a"]. nullopt where none of them is taken.
std::optional<std::string> meant(std::string_view written, const Takes& takes);

/// "TOML has no null …" where that was written, else empty.
std::string null_hint(std::string_view written);

/// Advice about values that are no TOML, in a line where nothing but the names of options is known.
class Advisor {
 public:
  explicit Advisor(const PluginCatalog& catalog) : catalog_(catalog) {}
  struct Advice {
    std::string expected, hint;
  };
  /// For `written` to the right of "="; `key` is the full name: "optimizer.learning_rate".
  Advice advice(const std::string& key, std::string_view written) const;

 private:
  std::vector<OptionRule> rules(const std::string& key) const;

  const PluginCatalog& catalog_;
};

}  // namespace halfling::config
