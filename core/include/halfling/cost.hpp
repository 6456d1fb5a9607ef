// SPDX-License-Identifier: Apache-2.0
// What a node costs, whatever runs it: for forecasts, profiles and rooflines.
#pragma once

#include "halfling/graph.hpp"

namespace halfling {

/// Of one execution.
struct Cost {
  double flops = 0;  ///< 2 a multiply-add; of other ops a count by element, as the op table has it
  double bytes = 0;  ///< operands read once, results written once, as they are stored
};

/// Of a node of this graph; nothing for sources. Throws Error for an op beyond the enumeration.
HALFLING_API Cost cost_of(const Graph& graph, const Node& node);

}  // namespace halfling
