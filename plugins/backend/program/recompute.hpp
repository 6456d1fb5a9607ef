// SPDX-License-Identifier: Apache-2.0
// Cheap values are made again where another loop needs them, instead of being written and read back.
#pragma once

#include "fusion.hpp"

namespace halfling::program {

/// Gives tile loops their own copies of what other loops compute by a few cheap operations from one stored
/// array (a bias, a normalisation). Returns whether anything changed; the items must then be fused again.
bool recompute_cheap_values(Program& program, const std::vector<Cluster>& clusters);

}  // namespace halfling::program
