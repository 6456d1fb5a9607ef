// SPDX-License-Identifier: Apache-2.0
// How long an iteration would take: a roofline over its graph. What comes of it is predicted, never measured.
#pragma once

#include <optional>

#include "halfling/graph.hpp"
#include "measure/accelerator.hpp"

namespace halfling {

/// Of one iteration, seconds.
struct PredictedTime {
  double contractions = 0;
  double loops = 0;    ///< everything else that reads and writes memory
  double updates = 0;  ///< optimizer
  double launches = 0;
  double total() const { return contractions + loops + updates + launches; }
};

/// The graph's steps one after the other.
///  - A contraction takes the longer of its FLOPs over the rate of its format, and of its bytes over
///  bandwidth
///    (Williams, Waterman and Patterson 2009). It keeps no more processors busy than its result has tiles of
///    64 x 64.
///  - Pointwise ops, casts, reductions and losses are fused: only what enters or leaves a run of them in one
///    stage moves through memory. Normalization reads its first operand twice, for its statistics.
///  - Updates read and write all their operands and results.
///  - Each step begins after a launch: of a fused run, one for each value that leaves it.
/// nullopt where the rates have none for a format of a contraction.
std::optional<PredictedTime> predicted_time(const Graph& graph, const Rates& rates);

}  // namespace halfling
