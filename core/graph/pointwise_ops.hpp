// SPDX-License-Identifier: Apache-2.0
// The pointwise ops: their gradient rules, and their rows in the op table, which alone includes this. dL/dy
// is written dy.
#pragma once

#include "graph/gradient_rules.hpp"
#include "graph/shape_rules.hpp"

namespace halfling::pointwise_ops {

using gradient_rules::Gradients;
using gradient_rules::sum_to;

inline Value zeros_like(Value x) {
  return constant(*x.graph, 0, x.shape(), x.dtype());
}

/// dy where the first operand was chosen, and where the second one was.
inline Gradients choose(const GradientView& v, Value first) {
  const Value dy = v.gradient(), zero = zeros_like(dy);
  return {sum_to(halfling::select(first, dy, zero), v.operand(0).shape()),
          sum_to(halfling::select(first, zero, dy), v.operand(1).shape())};
}

inline Gradients add(const GradientView& v) {
  return {sum_to(v.gradient(), v.operand(0).shape()), sum_to(v.gradient(), v.operand(1).shape())};
}

inline Gradients subtract(const GradientView& v) {
  return {sum_to(v.gradient(), v.operand(0).shape()), sum_to(-1.0 * v.gradient(), v.operand(1).shape())};
}

inline Gradients multiply(const GradientView& v) {
  const Value a = v.operand(0), b = v.operand(1), dy = v.gradient();
  return {sum_to(dy * b, a.shape()), sum_to(dy * a, b.shape())};
}

inline Gradients divide(const GradientView& v) {
  const Value a = v.operand(0), b = v.operand(1), dy = v.gradient();
  return {sum_to(dy / b, a.shape()), sum_to(-1.0 * (dy * v.result() / b), b.shape())};
}

inline Gradients minimum(const GradientView& v) {
  return choose(v, less(v.operand(0), v.operand(1)));
}
inline Gradients maximum(const GradientView& v) {
  return choose(v, less(v.operand(1), v.operand(0)));
}

inline Gradients affine(const GradientView& v) {
  return {v.get<AffineAttributes>().scale * v.gradient()};
}

inline Gradients leaky_relu(const GradientView& v) {
  return {v.graph.append_value(Op::leaky_relu_gradient, {v.operand(0), v.gradient()}, v.node.attributes)};
}

inline Gradients leaky_relu_gradient(const GradientView& v) {  // linear in dy; constant in x but at the kink
  const Value passed{&v.graph, v.graph.append_value(Op::leaky_relu_gradient, {v.operand(0), v.gradient()},
                                                    v.node.attributes)};
  return {no_value, sum_to(passed, v.operand(1).shape())};
}

inline Gradients sigmoid(const GradientView& v) {
  return {v.gradient() * (v.result() * (1.0 - v.result()))};
}
inline Gradients softplus(const GradientView& v) {
  return {v.gradient() * halfling::sigmoid(v.operand(0))};
}
inline Gradients tanh(const GradientView& v) {
  return {v.gradient() * (1.0 - v.result() * v.result())};
}
inline Gradients exp(const GradientView& v) {
  return {v.gradient() * v.result()};
}
inline Gradients log(const GradientView& v) {
  return {v.gradient() / v.operand(0)};
}
/// dy / 2y; 0 where y is 0, and finite there as often as it is differentiated again. A NaN stays one.
inline Gradients sqrt(const GradientView& v) {
  const Value y = v.result(), positive = less(zeros_like(y), y);
  const Value numerator = halfling::select(positive, v.gradient(), y);
  return {0.5 * (numerator / halfling::select(positive, y, y + 1.0))};
}

inline Gradients select(const GradientView& v) {
  const Value condition = v.operand(0), dy = v.gradient(), zero = zeros_like(dy);
  return {no_value, halfling::select(condition, dy, zero), halfling::select(condition, zero, dy)};
}

namespace s = shape_rules;

// op, name, class, operands (least, most), shape rule, gradient rule, flops per element, io operands
inline constexpr std::array rows{
    OpInfo{Op::add, "add", OpClass::pointwise, 2, 2, s::binary_float, add, 1, all_operands},
    OpInfo{Op::subtract, "subtract", OpClass::pointwise, 2, 2, s::binary_float, subtract, 1, all_operands},
    OpInfo{Op::multiply, "multiply", OpClass::pointwise, 2, 2, s::binary_float, multiply, 1, all_operands},
    OpInfo{Op::divide, "divide", OpClass::pointwise, 2, 2, s::binary_float, divide, 1, all_operands},
    OpInfo{Op::minimum, "minimum", OpClass::pointwise, 2, 2, s::binary_float, minimum, 1, all_operands},
    OpInfo{Op::maximum, "maximum", OpClass::pointwise, 2, 2, s::binary_float, maximum, 1, all_operands},
    OpInfo{Op::affine, "affine", OpClass::pointwise, 1, 1, s::unary_float, affine, 2, all_operands},
    OpInfo{Op::leaky_relu, "leaky_relu", OpClass::pointwise, 1, 1, s::unary_float, leaky_relu, 1,
           all_operands},
    OpInfo{Op::leaky_relu_gradient, "leaky_relu_gradient", OpClass::pointwise, 2, 2, s::binary_float,
           leaky_relu_gradient, 1, all_operands},
    OpInfo{Op::sigmoid, "sigmoid", OpClass::pointwise, 1, 1, s::unary_float, sigmoid, 4, all_operands},
    OpInfo{Op::softplus, "softplus", OpClass::pointwise, 1, 1, s::unary_float, softplus, 5, all_operands},
    OpInfo{Op::tanh, "tanh", OpClass::pointwise, 1, 1, s::unary_float, tanh, 4, all_operands},
    OpInfo{Op::exp, "exp", OpClass::pointwise, 1, 1, s::unary_float, exp, 2, all_operands},
    OpInfo{Op::log, "log", OpClass::pointwise, 1, 1, s::unary_float, log, 2, all_operands},
    OpInfo{Op::sqrt, "sqrt", OpClass::pointwise, 1, 1, s::unary_float, sqrt, 1, all_operands},
    OpInfo{Op::less, "less", OpClass::pointwise, 2, 2, s::less, gradient_rules::none, 1, all_operands},
    OpInfo{Op::logical_or, "logical_or", OpClass::pointwise, 2, 2, s::logical_or, gradient_rules::none, 1, 0},
    OpInfo{Op::select, "select", OpClass::pointwise, 3, 3, s::select, select, 1, 1u << 1 | 1u << 2},
};

}  // namespace halfling::pointwise_ops
