// SPDX-License-Identifier: Apache-2.0
// Which items share one loop over memory, and in which order the loops run.
#pragma once

#include <vector>

#include "program.hpp"

namespace halfling::program {

/// Items that run as one step: one item of kind node or copy, or several updates of one optimizer, or any
/// number of tile items and reductions over one index space.
struct Cluster {
  std::vector<int> items;    ///< indices, in order
  bool fused = false;        ///< a tile loop
  Shape space;               ///< squeezed physical extents of the loop
  std::int64_t columns = 0;  ///< inner extent that broadcasts and column reductions need; 0: none does
};

/// Whether an item may be part of a tile loop.
bool is_fusible(const Item& item);

/// Clusters in an order in which they can run.
std::vector<Cluster> fuse(const Program& program);

/// Joins neighbouring Adam updates that differ in nothing but their tensors, for a device where a launch
/// costs more than a small update. Comes before places are chosen: what runs at once shares no memory.
std::vector<Cluster> group_updates(const Graph& graph, const Program& program, std::vector<Cluster> clusters);

/// Gives a place to every slot that needs bytes: all but those that live and die within one tile loop.
void choose_places(Program& program, const std::vector<Cluster>& clusters);

/// How an operand of a tile item is read.
enum class Access : std::uint8_t { constant, scalar, full, column, general };
Access access_of(const Program& program, const Item& item, Ref operand);

}  // namespace halfling::program
