// SPDX-License-Identifier: Apache-2.0
#include "halfling/builder.hpp"

#include "halfling/error.hpp"

namespace halfling {

Scope::Scope(Graph& graph, std::string name) : graph_(graph), previous_(graph.context().scope) {
  graph.context().scope = std::move(name);
}
Scope::~Scope() {
  graph_.context().scope = previous_;
}

Value constant(Graph& graph, double value, Shape shape, DType dtype) {
  return {&graph, graph.append_value(Op::constant, {}, ConstantAttributes{value, dtype, shape})};
}
Value state(Graph& graph, const State& declaration) {
  return {&graph, graph.state(declaration)};
}

Value append_node(Op op, std::initializer_list<Value> operands, Attributes attributes) {
  Graph* graph = operands.begin()->graph;
  for (const Value& operand : operands)
    if (operand.graph != graph || graph == nullptr)
      throw Error(
          {.what = std::string(name_of(op)) +
                   (operand.graph == nullptr ? " was given no value" : " was given values of two graphs"),
           .where = graph == nullptr ? "" : graph->context().scope,
           .hint = "each phase has a graph of its own, and so has sampling: build the value in each"});
  return {graph, graph->append_value(op, {operands.begin(), operands.end()}, std::move(attributes))};
}

Value matmul(Value a, Value b, bool transpose_a, bool transpose_b) {
  return append_node(Op::matmul, {a, b}, MatmulAttributes{transpose_a, transpose_b});
}
Value conv2d(Value x, Value w, int stride, int padding) {
  return append_node(Op::conv2d, {x, w}, ConvAttributes{stride, padding, 0, 0});
}
Value conv2d_transpose(Value x, Value w, int stride, int padding) {
  const auto extent = [&](int axis) {
    return (x.shape()[axis] - 1) * stride - 2 * padding + w.shape()[axis];
  };
  return append_node(Op::conv2d_input_gradient, {x, w},
                     ConvAttributes{stride, padding, extent(2), extent(3)});
}

Value sum(Value x, unsigned axes) {
  return append_node(Op::sum, {x}, AxesAttributes{axes});
}
Value mean(Value x) {
  const Value total = reshape(sum(x, (1u << x.shape().rank()) - 1), {});
  return 1.0 / static_cast<double>(x.shape().elements()) * total;
}
Value any_nonfinite(Graph& graph, const std::vector<ValueId>& values) {
  return {&graph, graph.append_value(Op::any_nonfinite, values)};
}

Value exponent_histogram(Value x) {
  return append_node(Op::exponent_histogram, {x});
}

Value softmax(Value logits) {
  return append_node(Op::softmax, {logits});
}
Value sigmoid_cross_entropy(Value logits, double target) {
  return append_node(Op::sigmoid_cross_entropy, {logits}, TargetAttributes{target});
}
Value softmax_cross_entropy(Value logits, Value labels) {
  return append_node(Op::softmax_cross_entropy, {logits, labels});
}

Value reshape(Value x, Shape shape) {
  return x.shape() == shape ? x : append_node(Op::reshape, {x}, ShapeAttributes{shape});
}
Value broadcast(Value x, Shape shape) {
  return x.shape() == shape ? x : append_node(Op::broadcast, {x}, ShapeAttributes{shape});
}
Value concat(const std::vector<Value>& parts, int axis) {
  Graph* graph = parts.at(0).graph;
  return {graph, graph->append_value(Op::concat, {parts.begin(), parts.end()}, AxisAttributes{axis, 0, 0})};
}
Value slice(Value x, int axis, std::int64_t begin, std::int64_t length) {
  return append_node(Op::slice, {x}, AxisAttributes{axis, begin, length});
}
Value cast(Value x, DType dtype) {
  return x.dtype() == dtype ? x : append_node(Op::cast, {x}, CastAttributes{dtype});
}
Value detach(Value x) {
  return append_node(Op::detach, {x});
}
Value gradient_of(Value y, Value x) {
  return append_node(Op::gradient_of, {y, x});
}
Value one_hot(Value labels, std::int64_t classes) {
  return append_node(Op::one_hot, {labels}, AxisAttributes{1, 0, classes});
}

}  // namespace halfling
