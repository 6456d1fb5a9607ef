// SPDX-License-Identifier: Apache-2.0
// Whether one setting's images are as good as another's.
#pragma once

#include <optional>
#include <string>

#include "report/setting.hpp"

namespace halfling {

/// By the Fréchet distance to the real images: below zero, the other's are nearer to them.
struct QualityDifference {
  double baseline = 0, other = 0;  ///< mean distances of the seeds that are compared
  double low = 0, high = 0;        ///< of other - baseline: 95 % confidence, paired by seed; NaN of one seed
  std::size_t seeds = 0;

  double difference() const { return other - baseline; }
  bool measurable() const { return low > 0 || high < 0; }
};

/// nullopt where no seed's runs have both been measured by the same extractor.
std::optional<QualityDifference> quality_difference(const Setting& baseline, const Setting& other);

/// The run's measurement, if it has one.
const Quality* quality_of(const RunRecord& run);

/// ", with no measurable difference in image quality over 3 seeds"; empty of one seed.
std::string quality_clause(const QualityDifference& quality);
/// In full, with the interval.
std::string quality_note(const QualityDifference& quality, const Setting& baseline, const Setting& other);

}  // namespace halfling
