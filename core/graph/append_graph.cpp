// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "graph/passes.hpp"
#include "halfling/error.hpp"

namespace halfling {
namespace {

ValueId given_input(const Graph& target, const Graph& part, const Node& node,
                    const std::map<std::string, ValueId>& inputs) {
  const auto& name = std::get<NameAttributes>(node.attributes).name;
  const ValueInfo& wanted = part.value(node.results[0]);
  const auto found = inputs.find(name);
  const std::string expected = fmt::format("{} {}", name_of(wanted.dtype), wanted.shape.text());
  if (found == inputs.end())
    throw Error({.what = fmt::format("the graph needs an input named {}", name),
                 .where = "",
                 .got = "nothing of that name",
                 .expected = expected,
                 .hint = "an architecture's inputs are images, labels and the noises that it lists"});
  const ValueInfo& given = target.value(found->second);
  if (given.dtype != wanted.dtype || given.shape != wanted.shape)
    throw Error({.what = fmt::format("input {} has another type", name),
                 .where = "",
                 .got = fmt::format("{} {}", name_of(given.dtype), given.shape.text()),
                 .expected = expected,
                 .hint = ""});
  return found->second;
}

}  // namespace

std::vector<ValueId> append_graph(Graph& target, const Graph& part,
                                  const std::map<std::string, ValueId>& inputs,
                                  const std::function<std::string(const std::string&)>& renamed) {
  std::vector<ValueId> map(part.values().size(), no_value);
  const Graph::Context outer = target.context();
  for (const Node& node : part.nodes()) {
    target.context() = {node.scope, node.stage, node.compute};
    std::vector<ValueId> results;
    if (node.op == Op::input) {
      results = {given_input(target, part, node, inputs)};
    } else if (node.op == Op::state) {
      State state = *part.find_state(std::get<NameAttributes>(node.attributes).name);
      state.name = renamed(state.name);
      results = {target.state(state)};
    } else {
      std::vector<ValueId> operands;
      for (const ValueId operand : node.operands) operands.push_back(map[static_cast<std::size_t>(operand)]);
      results = target.node(target.append(node.op, std::move(operands), node.attributes)).results;
    }
    for (std::size_t i = 0; i < results.size(); ++i)
      map[static_cast<std::size_t>(node.results[i])] = results[i];
  }
  for (const State& state : part.states())
    if (state.latest != state.first)
      target.assign(renamed(state.name), map[static_cast<std::size_t>(state.latest)]);
  target.context() = outer;
  return map;
}

}  // namespace halfling
