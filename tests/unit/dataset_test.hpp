// SPDX-License-Identifier: Apache-2.0
// Makes data sets by the plugins as they are built, and looks at their samples.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "halfling/dataset.hpp"
#include "plugin/registry.hpp"
#include "scratch.hpp"

namespace halfling::test {

inline std::unique_ptr<Dataset> make_dataset(const char* name, const Options& options) {
  static const Registry registry = Registry::scan_only({HALFLING_DATASET_PLUGINS});
  return registry.create<Dataset>(name, options);
}

struct Sample {
  std::int32_t label;
  std::vector<std::uint8_t> pixels;
};

inline Sample sample(const Dataset& dataset, std::int64_t index) {
  Sample result{-1, std::vector<std::uint8_t>(static_cast<std::size_t>(dataset.sample_shape().elements()))};
  result.label = dataset.read(index, result.pixels);
  return result;
}

}  // namespace halfling::test
