// SPDX-License-Identifier: Apache-2.0
// A training operation on its way from loss to update.
#pragma once

#include <string>
#include <vector>

#include "halfling/builder.hpp"

namespace halfling {

/// A parameter of a phase, at the version that its forward pass read.
struct Parameter {
  std::string name;
  ValueId value;
};

/// A training operation between its gradients and its update.
struct PendingUpdate {
  std::string name;
  std::string shares;  ///< the operation whose optimizer states it shares; its own where empty
  ValueId loss;
  Value scale;
  std::vector<Parameter> parameters;  ///< those with a gradient
  std::vector<ValueId> gradients;
  Value found;  ///< its loss, or under an active scaler a gradient, is not finite
};

}  // namespace halfling
