// SPDX-License-Identifier: Apache-2.0
// The iterations of a trial as graphs, made from its plugins, to look at: nothing is compiled.
#pragma once

#include <memory>
#include <vector>

#include "iteration/iteration.hpp"
#include "plan/data_facts.hpp"
#include "plan/platform.hpp"

namespace halfling {

BatchSpec spec_of(const DataFacts& data, std::int64_t batch);

/// One of each variant, and how often each runs.
struct Iterations {
  Cycle cycle;
  std::vector<IterationGraph> graphs;  ///< by variant
};

class IterationMaker {
 public:
  /// The experiment must have passed a Preflight, which gives platform and data.
  IterationMaker(const Experiment& experiment, const Registry& registry, const Platform& platform,
                 const DataFacts& data);
  Iterations all(const BatchSpec& spec);
  /// The one that the monitor looks at.
  IterationGraph observed(const BatchSpec& spec) const;

 private:
  std::unique_ptr<LossScaler> scaler_;
  std::unique_ptr<Optimizer> optimizer_;
  std::vector<std::unique_ptr<Optimizer>> own_;
  IterationRequest request_;
};

}  // namespace halfling
