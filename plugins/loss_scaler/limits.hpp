// SPDX-License-Identifier: Apache-2.0
// What scalers that change their scale share.
#pragma once

#include <sstream>
#include <string>

#include "halfling/error.hpp"
#include "halfling/loss_scaler.hpp"

namespace halfling {

inline std::string number_text(double value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

/// Throws Error (usage) unless the condition holds. `where`: the options that it is about.
inline void refuse_unless(bool condition, std::string what, std::string where, std::string got,
                          std::string expected) {
  if (!condition)
    throw Error({.what = std::move(what),
                 .where = std::move(where),
                 .got = std::move(got),
                 .expected = std::move(expected),
                 .kind = ErrorKind::usage});
}

/// Where a scale, or its logarithm, begins, and between which values it stays.
struct ScaleLimits {
  double initial, minimum, maximum;

  explicit ScaleLimits(const Options& options)
      : initial(options.number("initial")),
        minimum(options.number("minimum")),
        maximum(options.number("maximum")) {
    refuse_unless(minimum <= maximum, "the limits of the loss scale are exchanged",
                  "loss_scaler.minimum, loss_scaler.maximum",
                  "minimum " + number_text(minimum) + ", maximum " + number_text(maximum), "at most maximum");
    refuse_unless(initial >= minimum && initial <= maximum, "the first loss scale lies outside of its limits",
                  "loss_scaler.initial, loss_scaler.minimum, loss_scaler.maximum",
                  "initial " + number_text(initial) + ", minimum " + number_text(minimum) + ", maximum " +
                      number_text(maximum),
                  "within minimum and maximum");
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
