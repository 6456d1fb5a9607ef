// SPDX-License-Identifier: Apache-2.0
#include "halfling/cost.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "graph/op_table.hpp"

namespace halfling {
namespace {

double contraction_flops(const Graph& graph, const Node& node) {
  const auto& attributes = node.attributes;
  const Shape& result = graph.value(node.results[0]).shape;
  const Shape& first = graph.value(node.operands[0]).shape;
  const Shape& second = graph.value(node.operands[1]).shape;
  if (node.op == Op::matmul)
    return 2.0 * static_cast<double>(result.elements() *
                                     first[std::get<MatmulAttributes>(attributes).transpose_a ? 0 : 1]);
  if (node.op == Op::conv2d)  // per result element C kh kw multiply-adds
    return 2.0 * static_cast<double>(result.elements() * second[1] * second[2] * second[3]);
  if (node.op == Op::conv2d_input_gradient)  // as many as the forward convolution that it belongs to
    return 2.0 * static_cast<double>(first.elements() * second[1] * second[2] * second[3]);
  if (node.op == Op::conv2d_weight_gradient)  // per dy element C kh kw
    return 2.0 * static_cast<double>(second.elements() * result[1] * result[2] * result[3]);
  throw std::logic_error(fmt::format("the FLOPs of {} are not known", name_of(node.op)));
}

}  // namespace

Cost cost_of(const Graph& graph, const Node& node) {
  const OpInfo& info = info_of(node.op);
  if (info.op_class == OpClass::source) return {};
  Cost cost;
  for (const auto* list : {&node.operands, &node.results})
    for (const ValueId id : *list)
      cost.bytes += static_cast<double>(graph.value(id).shape.elements()) *
                    static_cast<double>(size_of(graph.value(id).dtype));
  if (info.op_class == OpClass::contraction) {
    cost.flops = contraction_flops(graph, node);
  } else {
    const ValueId counted = info.op_class == OpClass::reduction ? node.operands[0] : node.results[0];
    cost.flops = info.flops_per_element * static_cast<double>(graph.value(counted).shape.elements());
  }
  return cost;
}

}  // namespace halfling
