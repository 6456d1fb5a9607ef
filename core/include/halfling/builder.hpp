// SPDX-License-Identifier: Apache-2.0
// What a plugin author writes: handles and functions that append nodes.
//
//   Value h = relu(x);  Value loss = mean(sigmoid_cross_entropy(logit, 1.0));
#pragma once

#include <initializer_list>
#include <vector>

#include "halfling/graph.hpp"

namespace halfling {

/// A value of a graph. Small, copyable; valid as long as the graph stays where it is.
struct Value {
  Graph* graph = nullptr;
  ValueId id = no_value;
  Shape shape() const { return graph->value(id).shape; }  ///< a copy: appending may move the graph's values
  DType dtype() const { return graph->value(id).dtype; }
  operator ValueId() const { return id; }
};

/// Names the layer for as long as it lives: Scope scope(graph, "g.fc1");
class HALFLING_API Scope {
 public:
  Scope(Graph& graph, std::string name);
  ~Scope();
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

 private:
  Graph& graph_;
  std::string previous_;
};

HALFLING_API Value constant(Graph& graph, double value, Shape shape = {}, DType dtype = DType::f32);
HALFLING_API Value state(Graph& graph, const State& declaration);

/// Appends a node of one result. Throws Error where the operands are not values of one graph, or do not fit
/// the op.
HALFLING_API Value append_node(Op op, std::initializer_list<Value> operands, Attributes attributes = {});

HALFLING_API Value matmul(Value a, Value b, bool transpose_a = false, bool transpose_b = false);
HALFLING_API Value conv2d(Value x, Value w, int stride, int padding);
/// Transposed convolution; w is [in, out, kh, kw]; H' = (H - 1) stride - 2 padding + kh.
HALFLING_API Value conv2d_transpose(Value x, Value w, int stride, int padding);

inline Value operator+(Value a, Value b) {
  return append_node(Op::add, {a, b});
}
inline Value operator-(Value a, Value b) {
  return append_node(Op::subtract, {a, b});
}
inline Value operator*(Value a, Value b) {
  return append_node(Op::multiply, {a, b});
}
inline Value operator/(Value a, Value b) {
  return append_node(Op::divide, {a, b});
}
inline Value operator*(double a, Value b) {
  return append_node(Op::affine, {b}, AffineAttributes{a, 0});
}
inline Value operator+(Value a, double b) {
  return append_node(Op::affine, {a}, AffineAttributes{1, b});
}
inline Value operator-(double a, Value b) {
  return append_node(Op::affine, {b}, AffineAttributes{-1, a});
}
inline Value minimum(Value a, Value b) {
  return append_node(Op::minimum, {a, b});
}
inline Value maximum(Value a, Value b) {
  return append_node(Op::maximum, {a, b});
}
inline Value leaky_relu(Value x, double slope) {
  return append_node(Op::leaky_relu, {x}, SlopeAttributes{slope});
}
inline Value relu(Value x) {
  return leaky_relu(x, 0);
}
inline Value sigmoid(Value x) {
  return append_node(Op::sigmoid, {x});
}
inline Value softplus(Value x) {
  return append_node(Op::softplus, {x});
}
inline Value tanh(Value x) {
  return append_node(Op::tanh, {x});
}
inline Value exp(Value x) {
  return append_node(Op::exp, {x});
}
inline Value log(Value x) {
  return append_node(Op::log, {x});
}
inline Value sqrt(Value x) {
  return append_node(Op::sqrt, {x});
}
inline Value less(Value a, Value b) {
  return append_node(Op::less, {a, b});
}
inline Value logical_or(Value a, Value b) {
  return append_node(Op::logical_or, {a, b});
}
inline Value select(Value condition, Value a, Value b) {
  return append_node(Op::select, {condition, a, b});
}

/// Over the axes of a mask; they stay with extent 1.
HALFLING_API Value sum(Value x, unsigned axes);
/// Mean of all elements, as a scalar.
HALFLING_API Value mean(Value x);
HALFLING_API Value any_nonfinite(Graph& graph, const std::vector<ValueId>& values);
HALFLING_API Value exponent_histogram(Value x);

HALFLING_API Value softmax(Value logits);
HALFLING_API Value sigmoid_cross_entropy(Value logits, double target);
HALFLING_API Value softmax_cross_entropy(Value logits, Value labels);

HALFLING_API Value reshape(Value x, Shape shape);
HALFLING_API Value broadcast(Value x, Shape shape);
HALFLING_API Value concat(const std::vector<Value>& parts, int axis);
HALFLING_API Value slice(Value x, int axis, std::int64_t begin, std::int64_t length);
HALFLING_API Value cast(Value x, DType dtype);  ///< x itself where it has that format
HALFLING_API Value detach(Value x);
/// The gradient of the sum of y's elements by x, both of one graph: what a gradient penalty, R1 or path
/// length is made of. [N,1] scores of N images, each of which depends on its own image alone, give each
/// image's own gradient. f32 (f64 under fp64), whatever formats lie between: the precision pass scales the
/// backward pass by a power of two and takes it out again. x must lie on the way to y, other than behind
/// detach.
///   const Value g = gradient_of(critic(x), x);
///   const Value norm = sqrt(sum(g * g, 0b1110));      // [N,1,1,1]; its gradient at 0 is 0
HALFLING_API Value gradient_of(Value y, Value x);
HALFLING_API Value one_hot(Value labels, std::int64_t classes);

}  // namespace halfling
