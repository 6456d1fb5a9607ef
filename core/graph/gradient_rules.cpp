// SPDX-License-Identifier: Apache-2.0
#include "graph/gradient_rules.hpp"

namespace halfling::gradient_rules {
namespace {

Value conv_node(Op op, Value a, Value b, const ConvAttributes& attributes) {
  return {a.graph, a.graph->append_value(op, {a, b}, attributes)};
}

}  // namespace

Value sum_to(Value gradient, const Shape& shape) {
  unsigned mask = 0;
  for (int axis = 0; axis < shape.rank(); ++axis)
    if (shape[axis] == 1 && gradient.shape()[axis] != 1) mask |= 1u << axis;
  return mask == 0 ? gradient : halfling::sum(gradient, mask);
}

Gradients none(const GradientView& v) {
  return Gradients(v.node.operands.size(), no_value);
}

Gradients matmul(const GradientView& v) {
  const auto [ta, tb] = v.get<MatmulAttributes>();
  const Value a = v.operand(0), b = v.operand(1), dy = v.gradient();
  // y = A B with A = a or a^T: dA = dy B^T, dB = A^T dy.
  const Value da = ta ? halfling::matmul(b, dy, tb, true) : halfling::matmul(dy, b, false, !tb);
  const Value db = tb ? halfling::matmul(dy, a, true, ta) : halfling::matmul(a, dy, !ta, false);
  return {da, db};
}

// The convolution family: y = conv(x, w). Each of the three is linear in both operands, and the gradient of
// each is made of the other two.
Gradients conv2d(const GradientView& v) {
  const Value x = v.operand(0), w = v.operand(1), dy = v.gradient();
  ConvAttributes dx = v.get<ConvAttributes>(), dw = dx;
  dx.height = x.shape()[2], dx.width = x.shape()[3];
  dw.height = w.shape()[2], dw.width = w.shape()[3];
  return {conv_node(Op::conv2d_input_gradient, dy, w, dx), conv_node(Op::conv2d_weight_gradient, x, dy, dw)};
}

Gradients conv2d_input_gradient(const GradientView& v) {  // x = result, y = operand 0
  const Value y = v.operand(0), w = v.operand(1), dx = v.gradient();
  ConvAttributes forward = v.get<ConvAttributes>(), dw = forward;
  forward.height = forward.width = 0;
  dw.height = w.shape()[2], dw.width = w.shape()[3];
  return {conv_node(Op::conv2d, dx, w, forward), conv_node(Op::conv2d_weight_gradient, dx, y, dw)};
}

Gradients conv2d_weight_gradient(
    const GradientView& v) {  // operands x and y; the gradient has the shape of w
  const Value x = v.operand(0), y = v.operand(1), dw = v.gradient();
  ConvAttributes forward = v.get<ConvAttributes>(), dx = forward;
  forward.height = forward.width = 0;
  dx.height = x.shape()[2], dx.width = x.shape()[3];
  return {conv_node(Op::conv2d_input_gradient, y, dw, dx), conv_node(Op::conv2d, x, dw, forward)};
}

Gradients sum(const GradientView& v) {
  return {halfling::broadcast(v.gradient(), v.operand(0).shape())};
}

Gradients softmax(const GradientView& v) {  // dx = y (dy - sum(dy y))
  const Value y = v.result(), dy = v.gradient();
  return {y * (dy - halfling::sum(dy * y, 1u << 1))};
}

Gradients sigmoid_cross_entropy(const GradientView& v) {  // dx = dy (sigmoid(x) - target)
  const double target = v.get<TargetAttributes>().target;
  return {v.gradient() * (halfling::sigmoid(v.operand(0)) + -target)};
}

Gradients softmax_cross_entropy(const GradientView& v) {  // dx = dy (softmax(x) - onehot(label))
  const Value logits = v.operand(0), labels = v.operand(1);
  const Value hot = halfling::cast(one_hot(labels, logits.shape()[1]), logits.dtype());
  return {v.gradient() * (halfling::softmax(logits) - hot), no_value};
}

Gradients reshape(const GradientView& v) {
  return {halfling::reshape(v.gradient(), v.operand(0).shape())};
}
Gradients broadcast(const GradientView& v) {
  return {sum_to(v.gradient(), v.operand(0).shape())};
}

Gradients concat(const GradientView& v) {
  const int axis = v.get<AxisAttributes>().axis;
  Gradients gradients;
  std::int64_t begin = 0;
  for (std::size_t i = 0; i < v.node.operands.size(); ++i) {
    const std::int64_t length = v.operand(i).shape()[axis];
    gradients.push_back(halfling::slice(v.gradient(), axis, begin, length));
    begin += length;
  }
  return gradients;
}

Gradients slice(const GradientView& v) {  // zeros before and behind
  const auto& a = v.get<AxisAttributes>();
  Shape part = v.operand(0).shape();
  const std::int64_t behind = part[a.axis] - a.begin - a.length;
  const auto zeros = [&](std::int64_t extent) {
    part[a.axis] = extent;
    return constant(v.graph, 0, part, v.gradient().dtype());
  };
  std::vector<Value> parts;
  if (a.begin > 0) parts.push_back(zeros(a.begin));
  parts.push_back(v.gradient());
  if (behind > 0) parts.push_back(zeros(behind));
  return {parts.size() == 1 ? parts[0].id : halfling::concat(parts, a.axis).id};
}

Gradients cast(const GradientView& v) {
  if (!is_float(v.operand(0).dtype())) return {no_value};
  return {halfling::cast(v.gradient(), v.operand(0).dtype())};
}

}  // namespace halfling::gradient_rules
