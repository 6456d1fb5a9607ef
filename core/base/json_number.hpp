// SPDX-License-Identifier: Apache-2.0
// Numbers in JSON, which has no NaN and no infinity: they become the strings "nan", "inf" and "-inf".
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>

namespace halfling {

inline nlohmann::ordered_json json_number(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

/// The other way; null is a NaN.
inline double number_of(const nlohmann::ordered_json& value) {
  if (value.is_number()) return value.get<double>();
  if (value == "inf") return std::numeric_limits<double>::infinity();
  if (value == "-inf") return -std::numeric_limits<double>::infinity();
  return std::numeric_limits<double>::quiet_NaN();
}

/// The greatest whole number up to which JSON of all programs keeps each.
inline constexpr std::int64_t most_exact = std::int64_t{1} << 53;

/// nullopt of what is no whole number, or outside of [least, most]. The library's own get() would make any
/// number one, which is undefined for most of them.
inline std::optional<std::int64_t> whole_number(const nlohmann::ordered_json& value, std::int64_t least = 0,
                                                std::int64_t most = most_exact) {
  if (!value.is_number_integer()) return std::nullopt;
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX))
    return std::nullopt;
  const auto number = value.get<std::int64_t>();
  return number < least || number > most ? std::nullopt : std::optional(number);
}

/// The same; throws std::out_of_range where it is none.
inline std::int64_t whole_of(const nlohmann::ordered_json& value, std::int64_t least = 0,
                             std::int64_t most = most_exact) {
  if (const auto number = whole_number(value, least, most)) return *number;
  throw std::out_of_range("no whole number, or too large");
}

}  // namespace halfling
