// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "report/setting.hpp"

namespace halfling {

/// "997 ±12": the digits are the mean's, and a deviation that they do not show is left out.
inline std::string with_deviation(const Spread& spread, int digits) {
  if (std::isnan(spread.mean)) return "-";
  const std::string text = fmt::format("{:.{}f}", spread.mean, digits);
  if (!(spread.deviation >= 0.5 * std::pow(10, -digits))) return text;
  return fmt::format("{} ±{:.{}f}", text, spread.deviation, digits);
}

}  // namespace halfling
