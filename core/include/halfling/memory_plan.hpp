// SPDX-License-Identifier: Apache-2.0
// Liveness and placement: which temporaries may share memory. For a backend that keeps them in one block.
#pragma once

#include <cstdint>
#include <vector>

#include "halfling/graph.hpp"

namespace halfling {

/// A temporary: alive from step `first` to step `last`, both included.
struct Lifetime {
  std::uint64_t bytes = 0;
  int first = 0;
  int last = 0;
};

struct MemoryPlan {
  std::vector<std::uint64_t> offsets;  ///< by lifetime; multiples of the alignment
  std::uint64_t bytes = 0;             ///< of the arena
  std::uint64_t lower_bound = 0;       ///< the most bytes alive at one step: no plan can need less
};

/// Places for temporaries of these lifetimes; `alignment` in bytes, at least 1. Greedy by size: the largest
/// temporary first, each at the lowest offset that is free for as long as it lives. Two lifetimes that share
/// a step never overlap in memory.
HALFLING_API MemoryPlan plan_memory(const std::vector<Lifetime>& lifetimes, std::uint64_t alignment = 64);

/// One lifetime for each value, with the node's index as step; inputs, states, constants and versions of
/// states have 0 bytes (they live elsewhere), and an output lives to the end.
HALFLING_API std::vector<Lifetime> lifetimes_of(const Graph& graph);

}  // namespace halfling
