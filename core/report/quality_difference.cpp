// SPDX-License-Identifier: Apache-2.0
#include "report/quality_difference.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "measure/confidence.hpp"
#include "report/seed_pairs.hpp"

namespace halfling {

const Quality* quality_of(const RunRecord& run) {
  const auto& quality = run.summary.quality;
  return quality && quality->error.empty() && !std::isnan(quality->generated.frechet_distance) ? &*quality
                                                                                               : nullptr;
}

std::optional<QualityDifference> quality_difference(const Setting& baseline, const Setting& other) {
  QualityDifference result;
  std::vector<double> differences;
  for (const auto& [one, two] : seed_pairs(baseline, other, quality_of)) {
    const Quality &before = *quality_of(*one), &now = *quality_of(*two);
    if (before.extractor != now.extractor || before.samples != now.samples) continue;
    result.baseline += before.generated.frechet_distance;
    result.other += now.generated.frechet_distance;
    differences.push_back(now.generated.frechet_distance - before.generated.frechet_distance);
  }
  if (differences.empty()) return std::nullopt;
  result.seeds = differences.size();
  result.baseline /= static_cast<double>(result.seeds);
  result.other /= static_cast<double>(result.seeds);
  result.low = result.high = std::numeric_limits<double>::quiet_NaN();
  if (result.seeds > 1) {
    const MeanInterval interval = mean_interval(differences);
    result.low = interval.low;
    result.high = interval.high;
  }
  return result;
}

std::string quality_clause(const QualityDifference& q) {
  if (q.seeds < 2) return {};
  if (!q.measurable())
    return fmt::format(", with no measurable difference in image quality over {} seeds", q.seeds);
  return fmt::format(", with {} images (Fréchet distance {:.3g} instead of {:.3g}, {} seeds)",
                     q.difference() < 0 ? "better" : "worse", q.other, q.baseline, q.seeds);
}

std::string quality_note(const QualityDifference& q, const Setting& baseline, const Setting& other) {
  const std::string distances = fmt::format("Fréchet distance {:.3g} of {}, {:.3g} of {}", q.other,
                                            other.precision, q.baseline, baseline.precision);
  if (q.seeds < 2)
    return fmt::format(
        "Image quality, of one seed: {}; how far seeds differ, several would tell: [sweep] repeat.",
        distances);
  return fmt::format(
      "Image quality: {}, a difference of {:+.3g} [{:+.3g}, {:+.3g}], with 95 % confidence over {} "
      "seeds (Student's t, paired by seed); less is better.",
      distances, q.difference(), q.low, q.high, q.seeds);
}

}  // namespace halfling
