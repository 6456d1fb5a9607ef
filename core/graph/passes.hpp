// SPDX-License-Identifier: Apache-2.0
// Passes over whole graphs.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "halfling/precision.hpp"

namespace halfling {

/// Copies a graph behind the end of another: its inputs become the given values, its states the target's
/// latest versions, and what it assigns is assigned there. Outputs are not copied. Returns the target's value
/// for each of the part's values. `renamed` says what a state of the part is called in the target, by default
/// the same. Throws Error where an input is not given or differs in shape or format.
std::vector<ValueId> append_graph(
    Graph& target, const Graph& part, const std::map<std::string, ValueId>& inputs,
    const std::function<std::string(const std::string&)>& renamed = [](const std::string& s) { return s; });

/// Replaces each gradient_of by the backward pass that it stands for; part of apply_precision. Where a graph
/// has f16 values, the backward pass is scaled by a power of two, held in a state "<scope>.gradient_scale":
/// it is multiplied or divided by 16 after a run whose gradients were small or large, so that the root of
/// their mean square stays within 2^-8 to 2^4, or is 2^12 or 2^-12 at most and least. Throws Error (usage)
/// where a value is no function of what it is differentiated by.
PrecisionResult expand_gradients(const Graph& graph);

/// Common-subexpression elimination, removal of what no output and no state needs, and local rules: detach
/// and neutral affine nodes go, casts that cancel go, constants are cast at once, and an op that reads any
/// float format reads a widened half value directly. Inputs stay, and so does every state that is still read
/// or changed. The result computes bit for bit the same.
Graph simplify(const Graph& graph);

}  // namespace halfling
