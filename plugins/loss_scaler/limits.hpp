// SPDX-License-Identifier: Apache-2.0
// What scalers that change their scale share.
#pragma once

#include <string>

#include "halfling/error.hpp"
#include "halfling/loss_scaler.hpp"

namespace halfling {

/// Throws Error (usage), which names the option, unless the condition holds.
inline void refuse_unless(bool condition, const char* option, double value, const char* expected) {
  if (!condition)
    throw Error({.what = std::string("loss scaler option ") + option + " is out of range",
                 .where = "loss_scaler." + std::string(option),
                 .got = std::to_string(value),
                 .expected = expected,
                 .hint = "",
                 .kind = ErrorKind::usage});
}

/// Where a scale, or its logarithm, begins, and between which values it stays.
struct ScaleLimits {
  double initial, minimum, maximum;

  explicit ScaleLimits(const Options& options)
      : initial(options.number("initial")),
        minimum(options.number("minimum")),
        maximum(options.number("maximum")) {
    refuse_unless(minimum <= maximum, "minimum", minimum, "at most maximum");
    refuse_unless(initial >= minimum && initial <= maximum, "initial", initial, "within minimum and maximum");
  }
};

/// A number that a scaler keeps between iterations.
inline Value scaler_state(Graph& graph, const std::string& name, double initial) {
  return state(graph, {.name = name,
                       .dtype = DType::f32,
                       .shape = {},
                       .initial = {Initial::Kind::constant, initial},
                       .role = StateRole::scaler});
}

}  // namespace halfling
