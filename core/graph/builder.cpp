// SPDX-License-Identifier: Apache-2.0
#include "halfling/builder.hpp"

namespace halfling {
namespace {

Value node(Op op, std::initializer_list<Value> operands, Attributes attributes = {}) {
  Graph* graph = operands.begin()->graph;
  return {graph, graph->append_value(op, {operands.begin(), operands.end()}, std::move(attributes))};
}

}  // namespace

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

Value matmul(Value a, Value b, bool transpose_a, bool transpose_b) {
  return node(Op::matmul, {a, b}, MatmulAttributes{transpose_a, transpose_b});
}
Value conv2d(Value x, Value w, int stride, int padding) {
  return node(Op::conv2d, {x, w}, ConvAttributes{stride, padding, 0, 0});
}
Value conv2d_transpose(Value x, Value w, int stride, int padding) {
  const auto extent = [&](int axis) {
    return (x.shape()[axis] - 1) * stride - 2 * padding + w.shape()[axis];
  };
  return node(Op::conv2d_input_gradient, {x, w}, ConvAttributes{stride, padding, extent(2), extent(3)});
}

Value operator+(Value a, Value b) {
  return node(Op::add, {a, b});
}
Value operator-(Value a, Value b) {
  return node(Op::subtract, {a, b});
}
Value operator*(Value a, Value b) {
  return node(Op::multiply, {a, b});
}
Value operator/(Value a, Value b) {
  return node(Op::divide, {a, b});
}
Value operator*(double a, Value b) {
  return node(Op::affine, {b}, AffineAttributes{a, 0});
}
Value operator+(Value a, double b) {
  return node(Op::affine, {a}, AffineAttributes{1, b});
}
Value operator-(double a, Value b) {
  return node(Op::affine, {b}, AffineAttributes{-1, a});
}
Value minimum(Value a, Value b) {
  return node(Op::minimum, {a, b});
}
Value maximum(Value a, Value b) {
  return node(Op::maximum, {a, b});
}
Value relu(Value x) {
  return leaky_relu(x, 0);
}
Value leaky_relu(Value x, double slope) {
  return node(Op::leaky_relu, {x}, SlopeAttributes{slope});
}
Value sigmoid(Value x) {
  return node(Op::sigmoid, {x});
}
Value tanh(Value x) {
  return node(Op::tanh, {x});
}
Value exp(Value x) {
  return node(Op::exp, {x});
}
Value log(Value x) {
  return node(Op::log, {x});
}
Value sqrt(Value x) {
  return node(Op::sqrt, {x});
}
Value less(Value a, Value b) {
  return node(Op::less, {a, b});
}
Value logical_or(Value a, Value b) {
  return node(Op::logical_or, {a, b});
}
Value select(Value condition, Value a, Value b) {
  return node(Op::select, {condition, a, b});
}

Value sum(Value x, unsigned axes) {
  return node(Op::sum, {x}, AxesAttributes{axes});
}
Value mean(Value x) {
  const Value total = reshape(sum(x, (1u << x.shape().rank()) - 1), {});
  return 1.0 / static_cast<double>(x.shape().elements()) * total;
}
Value any_nonfinite(Graph& graph, const std::vector<ValueId>& values) {
  return {&graph, graph.append_value(Op::any_nonfinite, values)};
}

Value exponent_histogram(Value x) {
  return node(Op::exponent_histogram, {x});
}

Value softmax(Value logits) {
  return node(Op::softmax, {logits});
}
Value sigmoid_cross_entropy(Value logits, double target) {
  return node(Op::sigmoid_cross_entropy, {logits}, TargetAttributes{target});
}
Value softmax_cross_entropy(Value logits, Value labels) {
  return node(Op::softmax_cross_entropy, {logits, labels});
}

Value reshape(Value x, Shape shape) {
  return x.shape() == shape ? x : node(Op::reshape, {x}, ShapeAttributes{shape});
}
Value broadcast(Value x, Shape shape) {
  return x.shape() == shape ? x : node(Op::broadcast, {x}, ShapeAttributes{shape});
}
Value concat(const std::vector<Value>& parts, int axis) {
  Graph* graph = parts.at(0).graph;
  return {graph, graph->append_value(Op::concat, {parts.begin(), parts.end()}, AxisAttributes{axis, 0, 0})};
}
Value slice(Value x, int axis, std::int64_t begin, std::int64_t length) {
  return node(Op::slice, {x}, AxisAttributes{axis, begin, length});
}
Value cast(Value x, DType dtype) {
  return x.dtype() == dtype ? x : node(Op::cast, {x}, CastAttributes{dtype});
}
Value detach(Value x) {
  return node(Op::detach, {x});
}
Value one_hot(Value labels, std::int64_t classes) {
  return node(Op::one_hot, {labels}, AxisAttributes{1, 0, classes});
}

}  // namespace halfling
