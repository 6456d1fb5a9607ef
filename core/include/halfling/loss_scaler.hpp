// SPDX-License-Identifier: Apache-2.0
// Plugin kind "loss_scaler": the scale is a persistent value and its rule is graph nodes, so that scaling,
// checking and skipping happen on the device.
#pragma once

#include <cstdint>
#include <string>

#include "halfling/builder.hpp"
#include "halfling/plugin.hpp"

namespace halfling {

/// One scaler per training operation, or one for all of them (updated once an iteration either way).
enum class ScalerScope : std::uint8_t { operation, shared };

class HALFLING_API LossScaler : public Component {
 public:
  static constexpr const char* kind = "loss_scaler";

  /// False: gradients are neither scaled nor checked, and the functions below are not called.
  virtual bool active() const { return true; }
  /// The scale, f32 scalar, that multiplies the loss (the seed of the gradient). States are named
  /// "<prefix>.<name>" with StateRole::scaler.
  virtual Value scale(Graph& graph, const std::string& prefix) const = 0;
  /// Assigns the states' next values. `found`: boolean scalar, a gradient was not finite and the update was
  /// skipped. Called once per scaler and iteration.
  virtual void update(Graph& graph, const std::string& prefix, Value found) const = 0;
};

}  // namespace halfling
