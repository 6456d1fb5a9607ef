// SPDX-License-Identifier: Apache-2.0
// Option declarations are data: from them come validation, did-you-mean, `plugins describe`, the defaults in
// the resolved experiment and, later, the JSON Schema. A plugin's declarations stand in its descriptor and
// are read before any of its code runs.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "halfling/export.hpp"

namespace halfling {

enum class OptionType : int {
  boolean,
  integer,
  number,  ///< an integer is accepted too
  string,
  path,      ///< relative paths are taken from the folder of the file that wrote them; delivered absolute
  duration,  ///< "7min", "1h20m", "30s"; delivered as number, in seconds
  size,      ///< "512MiB"; delivered as integer, in bytes
  string_list,
  number_list,
};

inline constexpr double unbounded = std::numeric_limits<double>::infinity();

/// One option. All pointers are to string literals.
struct OptionDeclaration {
  const char* name;
  OptionType type;
  const char* unit;          ///< "" where there is none
  const char* default_toml;  ///< as TOML text (`65536`, `"auto"`, `["a"]`); nullptr: the option is required
  const char* help;          ///< one line
  double minimum = -unbounded;    ///< inclusive
  double maximum = unbounded;     ///< inclusive
  const char* choices = nullptr;  ///< "fp16|bf16|auto", for strings
};

using OptionValue =
    std::variant<bool, std::int64_t, double, std::string, std::vector<std::string>, std::vector<double>>;

/// The checked values of one component: every declared option is present. Asking for an undeclared name or
/// with the wrong type is a programming error and throws std::logic_error.
class HALFLING_API Options {
 public:
  void set(std::string name, OptionValue value) { values_[std::move(name)] = std::move(value); }
  bool boolean(std::string_view name) const;
  std::int64_t integer(std::string_view name) const;
  double number(std::string_view name) const;  ///< also of an integer
  const std::string& string(std::string_view name) const;
  const std::vector<std::string>& strings(std::string_view name) const;
  const std::vector<double>& numbers(std::string_view name) const;
  const std::map<std::string, OptionValue, std::less<>>& values() const { return values_; }

 private:
  const OptionValue& at(std::string_view name) const;
  std::map<std::string, OptionValue, std::less<>> values_;
};

}  // namespace halfling
