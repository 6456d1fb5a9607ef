// SPDX-License-Identifier: Apache-2.0
// Reverse-mode differentiation: adds nodes to the graph.
#pragma once

#include <span>
#include <vector>

#include "halfling/graph.hpp"

namespace halfling {

/// Gradients of sum_i <seeds[i], losses[i]> with respect to each target, in the target's own format and shape
/// (seeds: same shape and format as the losses). A target that no loss depends on gets no_value. `detach`
/// stops the walk, and so do integers and booleans; an op without a gradient rule on the path is an Error
/// that names it. Added nodes carry their forward node's scope and compute format, and Stage::backward.
HALFLING_API std::vector<ValueId> gradient(Graph& graph, std::span<const ValueId> losses,
                                           std::span<const ValueId> seeds,
                                           std::span<const ValueId> with_respect_to);

}  // namespace halfling
