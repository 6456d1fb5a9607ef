// SPDX-License-Identifier: Apache-2.0
// Graphs that look at an iteration and change nothing: which value of it became non-finite first.
#pragma once

#include <string>
#include <vector>

#include "halfling/graph.hpp"

namespace halfling {

/// Appends a copy of an iteration to an empty graph: its inputs, and its states, all left as they are. Gives
/// where each of its values went.
std::vector<ValueId> copy_without_updates(Graph& graph, const Graph& iteration);

/// A copy of an iteration that changes no state and has one output more for each float value of the forward
/// and backward passes, "nonfinite.<value id>", boolean, in the order of computation; and which value that
/// is. It answers which value became non-finite first.
struct DiagnosticGraph {
  struct Checked {
    std::string output;
    std::string value;  ///< readable
    Stage stage;
  };
  Graph graph;
  std::vector<Checked> values;
};
DiagnosticGraph build_diagnostic(const Graph& iteration);

}  // namespace halfling
