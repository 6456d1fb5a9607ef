// SPDX-License-Identifier: Apache-2.0
#include "iteration/diagnostic.hpp"

#include <fmt/format.h>

#include <map>

#include "graph/passes.hpp"
#include "halfling/builder.hpp"

namespace halfling {

std::vector<ValueId> copy_without_updates(Graph& graph, const Graph& iteration) {
  std::map<std::string, ValueId> inputs;
  for (const Port& port : iteration.inputs()) {
    const ValueInfo& info = iteration.value(port.value);
    inputs[port.name] = graph.input(port.name, info.dtype, info.shape);
  }
  std::vector<ValueId> placed = append_graph(graph, iteration, inputs);
  for (const State& state : iteration.states()) graph.assign(state.name, graph.find_state(state.name)->first);
  return placed;
}

DiagnosticGraph build_diagnostic(const Graph& iteration) {
  DiagnosticGraph result;
  const std::vector<ValueId> placed = copy_without_updates(result.graph, iteration);
  for (const Node& node : iteration.nodes()) {
    if (node.stage == Stage::update || node.op == Op::constant) continue;
    for (const ValueId id : node.results) {
      if (!is_float(iteration.value(id).dtype)) continue;
      const std::string name = fmt::format("nonfinite.{}", id);
      result.graph.output(name, any_nonfinite(result.graph, {placed[static_cast<std::size_t>(id)]}));
      result.values.push_back({name, iteration.describe(id), node.stage});
    }
  }
  result.graph = simplify(result.graph);
  verify(result.graph);
  return result;
}

}  // namespace halfling
