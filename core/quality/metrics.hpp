// SPDX-License-Identifier: Apache-2.0
// Figures of image quality, from features of two sets of images, in float64. All throw Error where the sets
// cannot be compared: other widths, too few samples, numbers that are not finite.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "quality/features.hpp"

namespace halfling::quality {

/// Fewest images of a set that are worth comparing.
inline constexpr std::int64_t fewest_samples = 100;

/// The Fréchet distance of two normal distributions with the sets' means and (unbiased) covariances,
///   |m1 - m2|^2 + tr(C1 + C2 - 2 (C1 C2)^(1/2))
/// (Dowson and Landau 1982; of image features, Heusel et al. 2017). Zero for equal sets; it is biased
/// upwards, the more so the fewer samples there are. Needs more samples than features.
double frechet_distance(const Features& a, const Features& b);

/// The unbiased estimate of the squared maximum mean discrepancy under the kernel (x·y / width + 1)^3
/// (Binkowski et al. 2018, "Demystifying MMD GANs"), over the whole sets. It can be below zero.
double kernel_distance(const Features& a, const Features& b);

struct PrecisionAndRecall {
  double precision = 0;  ///< share of generated samples within the manifold of the real ones
  double recall = 0;     ///< share of real samples within the manifold of the generated ones
};
/// A set's manifold is the union of the balls around its samples that reach to the sample's `neighbours`-th
/// nearest one (Kynkäänniemi et al. 2019).
PrecisionAndRecall precision_and_recall(const Features& real, const Features& generated, int neighbours = 3);

struct ClassMetrics {
  double accuracy = 0;              ///< share of samples that are seen as what they should be
  std::vector<double> accuracy_of;  ///< by class; NaN where no sample should be of it
  /// Entropy of the classes that are seen over that of as many of each: 1 where all are seen alike often, 0
  /// where a single one is.
  double balance = 0;
};
ClassMetrics class_metrics(std::span<const std::int32_t> seen, std::span<const std::int32_t> expected,
                           std::int64_t classes);

}  // namespace halfling::quality
