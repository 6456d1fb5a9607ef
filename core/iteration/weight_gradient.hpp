// SPDX-License-Identifier: Apache-2.0
// Gradients of parameters that no half format rounds or overflows.
#pragma once

#include "halfling/graph.hpp"

namespace halfling {

/// The gradient of an f32 parameter that is used in half precision is a cast from half at the end of its
/// contraction. This returns the same gradient with f32 results from there on: the contraction takes its half
/// operands, cast, and its result is f32, as is every sum of such results. Other gradients are returned as
/// they are. The nodes that are no longer needed stay until simplify().
ValueId widen_gradient(Graph& graph, ValueId gradient);

}  // namespace halfling
