// SPDX-License-Identifier: Apache-2.0
// What a report is about: runs, the settings that they are of, and which settings may be compared.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/quality_difference.hpp"
#include "report/setting.hpp"
#include "report/speed_ratio.hpp"

namespace halfling {

/// Of two settings of one family and batch size, both timed.
struct Comparison {
  const Setting *baseline = nullptr, *other = nullptr;
  SpeedRatio speed;
  std::optional<double> memory;  ///< how many times the baseline's peak
  std::optional<QualityDifference> quality;
};

struct Report {
  /// `price`, if there is one, takes the place of the runs' own. At least one run.
  Report(std::vector<RunRecord> runs, const std::optional<Price>& price);
  Report(const Report&) = delete;
  Report& operator=(const Report&) = delete;

  std::vector<RunRecord> runs;          ///< in the order of the settings
  std::vector<std::string> names;       ///< of the runs
  std::vector<Setting> settings;        ///< by family, then batch size, fp32 first
  std::vector<Comparison> comparisons;  ///< to fp32, in the order of the settings
  std::vector<std::string> differing;   ///< keys in whose values the runs differ, but for the seed

  const Comparison* comparison(const Setting& setting) const;
  /// Comparisons of one family and one precision, batch sizes ascending.
  std::vector<std::vector<const Comparison*>> series() const;
};

}  // namespace halfling
