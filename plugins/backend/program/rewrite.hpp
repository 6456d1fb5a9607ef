// SPDX-License-Identifier: Apache-2.0
// Rewrites of a lowered program that save passes over memory.
#pragma once

#include "program.hpp"

namespace halfling::program {

/// Gradient accumulation: the sum of a matrix product and something made before becomes a product that adds
/// to what is there. (The sum is then rounded once instead of twice.) `native`: a format in which the
/// library adds.
void accumulate_in_products(const Graph& graph, Program& program, bool (*native)(DType));

/// Adam writes the half copy of the new parameter itself, where the graph asks for one.
void cast_in_updates(const Graph& graph, Program& program);

/// Large parameters that the graph casts first and updates last keep their half copy, in a block of `memory`,
/// from run to run instead.
void keep_half_copies(const Graph& graph, const StateLookup& states, const Memory& memory, Program& program);

}  // namespace halfling::program
