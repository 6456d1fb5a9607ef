// SPDX-License-Identifier: Apache-2.0
// Numbers in JSON, which has no NaN and no infinity: they become the strings "nan", "inf" and "-inf".
#pragma once

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

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

}  // namespace halfling
