// SPDX-License-Identifier: Apache-2.0
// Backend "loops": plain loops in float32 over a program, one thread, a few ops; all others are refused.
// About the smallest backend that computes something: copy it to begin another.
#pragma once

#include <functional>

#include "program/compile.hpp"
#include "program/step.hpp"

namespace loops {

using namespace halfling;
using namespace halfling::program;

using Step = std::function<void()>;

/// A fused loop, element by element.
Step tile_step(const StepContext& context, const Cluster& cluster);
/// An item that is a whole node, or a copy.
Step item_step(const StepContext& context, const Item& item);

/// Whether there is a loop for the op: here, and in tile_step.
constexpr bool has(Op op) {
  using enum Op;
  return is_one_of<input, state, constant, matmul, add, subtract, multiply, divide, minimum, maximum, affine,
                   leaky_relu, leaky_relu_gradient, sigmoid, exp, log, sqrt, less, logical_or, select, sum,
                   reshape, broadcast, concat, slice, detach, one_hot, cast>(op);
}

}  // namespace loops
