// SPDX-License-Identifier: Apache-2.0
#include "iteration/weight_gradient.hpp"

namespace halfling {
namespace {

ValueId to_f32(Graph& graph, ValueId value) {
  if (graph.value(value).dtype == DType::f32) return value;
  return graph.append_value(Op::cast, {value}, CastAttributes{DType::f32});
}

ValueId widened(Graph& graph, ValueId value) {
  if (!is_half(graph.value(value).dtype)) return value;
  const Node node = graph.node(graph.value(value).producer);  // a copy: appending may move the nodes
  const bool contraction = class_of(node.op) == OpClass::contraction;
  if (!contraction && node.op != Op::add && node.op != Op::reshape) return to_f32(graph, value);
  graph.context() = {node.scope, node.stage, node.compute};
  std::vector<ValueId> operands;
  for (const ValueId operand : node.operands)
    operands.push_back(contraction ? to_f32(graph, operand) : widened(graph, operand));
  return graph.append_value(node.op, operands, node.attributes);
}

}  // namespace

ValueId widen_gradient(Graph& graph, ValueId gradient) {
  const Node& last = graph.node(graph.value(gradient).producer);
  if (last.op != Op::cast || graph.value(gradient).dtype != DType::f32) return gradient;
  const Graph::Context before = graph.context();
  const ValueId result = widened(graph, last.operands[0]);
  graph.context() = before;
  return is_half(graph.value(result).dtype) ? gradient : result;
}

}  // namespace halfling
