// SPDX-License-Identifier: Apache-2.0
// What a plugin author writes: handles and functions that append nodes.
//
//   Value h = relu(x);  Value loss = mean(sigmoid_cross_entropy(logit, 1.0));
#pragma once

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

HALFLING_API Value matmul(Value a, Value b, bool transpose_a = false, bool transpose_b = false);
HALFLING_API Value conv2d(Value x, Value w, int stride, int padding);
/// Transposed convolution; w is [in, out, kh, kw]; H' = (H - 1) stride - 2 padding + kh.
HALFLING_API Value conv2d_transpose(Value x, Value w, int stride, int padding);

HALFLING_API Value operator+(Value a, Value b);
HALFLING_API Value operator-(Value a, Value b);
HALFLING_API Value operator*(Value a, Value b);
HALFLING_API Value operator/(Value a, Value b);
HALFLING_API Value operator*(double a, Value b);
HALFLING_API Value operator+(Value a, double b);
HALFLING_API Value operator-(double a, Value b);
HALFLING_API Value minimum(Value a, Value b);
HALFLING_API Value maximum(Value a, Value b);
HALFLING_API Value relu(Value x);
HALFLING_API Value leaky_relu(Value x, double slope);
HALFLING_API Value sigmoid(Value x);
HALFLING_API Value tanh(Value x);
HALFLING_API Value exp(Value x);
HALFLING_API Value log(Value x);
HALFLING_API Value sqrt(Value x);
HALFLING_API Value less(Value a, Value b);
HALFLING_API Value logical_or(Value a, Value b);
HALFLING_API Value select(Value condition, Value a, Value b);

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
HALFLING_API Value one_hot(Value labels, std::int64_t classes);

}  // namespace halfling
