// SPDX-License-Identifier: Apache-2.0
// From a graph to fused loops with a place for every value: all that comes before a backend's own steps.
#pragma once

#include "fusion.hpp"
#include "halfling/backend.hpp"
#include "halfling/memory_plan.hpp"

namespace halfling::program {

struct Compiled {
  Program program;
  std::vector<Cluster> clusters;  ///< in the order in which they run
  MemoryPlan arena;               ///< of the places without a fixed address
  std::vector<std::string> inputs, outputs;

  /// Addresses by place, in an arena that begins at `base`.
  std::vector<std::byte*> addresses(std::byte* base) const;
  /// A named input or output; throws std::logic_error where there is none.
  const Slot& input(std::string_view name) const;
  const Slot& output(std::string_view name) const;
};

/// What a device is good at.
struct Traits {
  bool (*adds)(DType);          ///< whether the library's products add to what is there in a format
  bool groups_updates = false;  ///< whether the updates of an optimizer run as one step
};
Compiled compile(const Graph& graph, const StateLookup& states, const Memory& memory, const Traits& traits);

/// A step in a profile: named by its first node; FLOPs of all nodes, bytes that enter and leave the step.
ProfileEntry profile_entry(const Graph& graph, const Program& program, const std::vector<int>& items,
                           std::string implementation);

}  // namespace halfling::program
