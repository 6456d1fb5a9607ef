// SPDX-License-Identifier: Apache-2.0
// What a trial's data set says of itself, and what its transforms make of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "experiment/experiment.hpp"
#include "halfling/shape.hpp"
#include "halfling/value_range.hpp"
#include "plugin/registry.hpp"

namespace halfling {

struct DataFacts {
  std::int64_t samples = 0;  ///< to train with
  Shape image;               ///< {C, H, W}, as the networks see it
  std::vector<std::string> classes;
  std::int64_t held_out = 0;  ///< samples
  ValueRange values = {};     ///< of the bytes, in the networks
};

/// Of the data set, without transforms; it is closed again.
DataFacts facts_of(const Experiment& experiment, const Registry& registry);
/// What the experiment's transforms make of these. Throws Error (usage) where one does not take what it would
/// get.
DataFacts transformed(DataFacts facts, const Experiment& experiment, const Registry& registry);

}  // namespace halfling
