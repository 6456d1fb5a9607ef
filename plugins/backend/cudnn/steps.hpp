// SPDX-License-Identifier: Apache-2.0
// Clusters become steps.
#pragma once

#include "step.hpp"

namespace halfling::cudnn {

struct PlannedStep {
  StepPointer step;
  std::vector<int> items;  ///< that it runs
};

/// In the order of the clusters; neighbouring updates of one optimizer share a step.
std::vector<PlannedStep> make_steps(const StepContext& context, const std::vector<Cluster>& clusters);

}  // namespace halfling::cudnn
