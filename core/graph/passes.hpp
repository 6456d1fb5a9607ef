// SPDX-License-Identifier: Apache-2.0
// Passes over whole graphs.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "halfling/graph.hpp"

namespace halfling {

/// Copies a graph behind the end of another: its inputs become the given values, its states the target's
/// latest versions, and what it assigns is assigned there. Outputs are not copied. Returns the target's value
/// for each of the part's values. Throws Error where an input is not given or differs in shape or format.
std::vector<ValueId> append_graph(Graph& target, const Graph& part,
                                  const std::map<std::string, ValueId>& inputs);

/// Common-subexpression elimination, removal of what no output and no state needs, and local rules: detach
/// and neutral affine nodes go, casts that cancel go, constants are cast at once, and an op that reads any
/// float format reads a widened half value directly. Inputs stay, and so does every state that is still read
/// or changed. The result computes bit for bit the same.
Graph simplify(const Graph& graph);

}  // namespace halfling
