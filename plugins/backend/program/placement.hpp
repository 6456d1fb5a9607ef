// SPDX-License-Identifier: Apache-2.0
// Where the arena's places go.
#pragma once

#include "fusion.hpp"
#include "halfling/memory_plan.hpp"

namespace halfling::program {

/// Lets a loop write a result where it reads an operand that nothing reads later: less memory, and lines that
/// are in the cache already.
void share_places(Program& program, const std::vector<Cluster>& clusters);

/// Offsets of the arena's places, by liveness; a step is a cluster.
MemoryPlan plan_places(const Program& program, const std::vector<Cluster>& clusters);

}  // namespace halfling::program
