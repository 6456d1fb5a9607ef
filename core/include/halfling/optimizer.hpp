// SPDX-License-Identifier: Apache-2.0
// Plugin kind "optimizer": contributes the nodes that update one parameter.
#pragma once

#include <string>

#include "halfling/builder.hpp"
#include "halfling/plugin.hpp"

namespace halfling {

/// What an optimizer has at hand for one parameter.
struct ParameterUpdate {
  std::string prefix;     ///< for its states: "<prefix>.<name>" with StateRole::optimizer
  Value parameter;        ///< the value to update, in the policy's parameter format
  Value scaled_gradient;  ///< as the backward pass left it: scaled, maybe in a half format
  Value inverse_scale;    ///< f32 scalar
  Value skip;             ///< boolean scalar: leave everything as it is
  Value step;             ///< i32 scalar: number of updates including this one
  Value learning_rate;    ///< scalar, in the parameter's format: Optimizer::learning_rate, scheduled
  /// The gradient in the parameter's format, without the scale.
  HALFLING_API Value gradient() const;
  /// The learning rate in the parameter's rank, so that it can be multiplied with the gradient.
  HALFLING_API Value step_size() const;
};

class HALFLING_API Optimizer : public Component {
 public:
  static constexpr const char* kind = "optimizer";
  /// What the experiment gives, before any schedule; 0 for an optimizer that has none.
  virtual double learning_rate() const = 0;
  /// Returns the parameter's next value; assigns its own states. Both must stay unchanged under `skip`.
  virtual Value update(const ParameterUpdate& update) const = 0;
};

}  // namespace halfling
