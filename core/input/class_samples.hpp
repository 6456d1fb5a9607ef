// SPDX-License-Identifier: Apache-2.0
// What a data set holds of each class, and what of it a network sees first.
#pragma once

#include <cstdint>
#include <vector>

#include "halfling/dataset.hpp"
#include "input/training_order.hpp"
#include "input/transform_chain.hpp"

namespace halfling {

struct ClassSamples {
  std::vector<std::int64_t> counts;  ///< samples by class
  /// columns samples of each class, as they come into batches: transformed, in the order of the first epoch.
  /// Where a class has fewer, the rest is white.
  std::vector<std::uint8_t> images;
};

/// Reads every sample of the data set. columns may be 0. Throws Error (usage) as TrainingOrder does.
ClassSamples class_samples(const Dataset& dataset, const TransformChain& chain, const OrderSettings& settings,
                           int columns);

}  // namespace halfling
