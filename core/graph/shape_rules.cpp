// SPDX-License-Identifier: Apache-2.0
#include "graph/shape_rules.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "halfling/error.hpp"

namespace halfling {

void OperandView::fail(const std::string& expected) const {
  std::string got;
  for (const ValueId id : ids)
    got += fmt::format("{}{} {}", got.empty() ? "" : ", ", name_of(graph.value(id).dtype),
                       graph.value(id).shape.text());
  throw Error({.what = fmt::format("{} cannot take these operands", name_of(op)),
               .where = graph.context().scope,
               .got = got,
               .expected = expected,
               .hint = ""});
}

namespace shape_rules {
namespace {

ValueInfo result(DType dtype, Shape shape) {
  return {dtype, shape, -1, 0};
}

void same_float(const OperandView& v, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    v.require(is_float(v.dtype(i)) && v.dtype(i) == v.dtype(0), "operands of one floating format");
}

std::int64_t conv_extent(std::int64_t in, std::int64_t kernel, const ConvAttributes& a) {
  return (in + 2 * a.padding - kernel) / a.stride + 1;
}

void check_conv(const OperandView& v, const Shape& x, const Shape& w, const Shape& y) {
  const auto& a = v.get<ConvAttributes>();
  v.require(a.stride >= 1 && a.padding >= 0, "stride >= 1 and padding >= 0");
  v.require(x.rank() == 4 && w.rank() == 4 && y.rank() == 4, "operands of rank 4");
  v.require(x[0] == y[0] && x[1] == w[1] && y[1] == w[0], "x [N,C,H,W], w [O,C,kh,kw], y [N,O,H',W']");
  v.require(x[2] + 2 * a.padding >= w[2] && x[3] + 2 * a.padding >= w[3],
            "a kernel no larger than the padded image");
  v.require(y[2] == conv_extent(x[2], w[2], a) && y[3] == conv_extent(x[3], w[3], a),
            "H' = (H + 2 padding - kh) / stride + 1");
}

void check_channels(const OperandView& v, std::size_t first, std::size_t last) {
  v.require(v.shape(0).rank() == 2 || v.shape(0).rank() == 4, "x of rank 2 or 4");
  const DType affine = v.dtype(0) == DType::f64 ? DType::f64 : DType::f32;
  for (std::size_t i = first; i <= last; ++i)
    v.require(v.shape(i) == Shape{v.shape(0)[1]} && v.dtype(i) == affine,
              "affine parameters and statistics [C] in f32 (f64 where x is f64)");
}

Shape broadcast_shape(const OperandView& v, const Shape& a, const Shape& b) {
  v.require(a.rank() == b.rank(), "operands of equal rank");
  Shape shape = a;
  for (int axis = 0; axis < a.rank(); ++axis) {
    v.require(a[axis] == b[axis] || a[axis] == 1 || b[axis] == 1,
              "equal extents, or 1 where one is broadcast");
    shape[axis] = a[axis] == 1 ? b[axis] : a[axis];
  }
  return shape;
}

void scalar(const OperandView& v, std::size_t i, DType dtype) {
  v.require(v.shape(i).rank() == 0 && v.dtype(i) == dtype, "a scalar of the right format");
}

}  // namespace

Results source(const OperandView& v) {
  v.fail("no append(): sources are made by input() and state()");
}

Results constant(const OperandView& v) {
  const auto& a = v.get<ConstantAttributes>();
  v.require(a.dtype != DType::tf32, "a storage format");
  return {result(a.dtype, a.shape)};
}

Results matmul(const OperandView& v) {
  const auto& a = v.get<MatmulAttributes>();
  same_float(v, 2);
  v.require(v.shape(0).rank() == 2 && v.shape(1).rank() == 2, "two matrices");
  const auto rows = v.shape(0)[a.transpose_a ? 1 : 0], inner = v.shape(0)[a.transpose_a ? 0 : 1];
  const auto inner_b = v.shape(1)[a.transpose_b ? 1 : 0], columns = v.shape(1)[a.transpose_b ? 0 : 1];
  v.require(inner == inner_b, "equal inner extents");
  return {result(v.dtype(0), {rows, columns})};
}

Results conv2d(const OperandView& v) {
  same_float(v, 2);
  const auto& a = v.get<ConvAttributes>();
  const Shape &x = v.shape(0), &w = v.shape(1);
  v.require(x.rank() == 4 && w.rank() == 4 && a.stride >= 1, "x [N,C,H,W] and w [O,C,kh,kw]");
  const Shape y{x[0], w[0], conv_extent(x[2], w[2], a), conv_extent(x[3], w[3], a)};
  check_conv(v, x, w, y);
  return {result(v.dtype(0), y)};
}

Results conv2d_input_gradient(const OperandView& v) {
  same_float(v, 2);
  const auto& a = v.get<ConvAttributes>();
  const Shape &y = v.shape(0), &w = v.shape(1);
  v.require(y.rank() == 4 && w.rank() == 4, "dy [N,O,H',W'] and w [O,C,kh,kw]");
  const Shape x{y[0], w[1], a.height, a.width};
  check_conv(v, x, w, y);
  return {result(v.dtype(0), x)};
}

Results conv2d_weight_gradient(const OperandView& v) {
  same_float(v, 2);
  const auto& a = v.get<ConvAttributes>();
  const Shape &x = v.shape(0), &y = v.shape(1);
  v.require(x.rank() == 4 && y.rank() == 4, "x [N,C,H,W] and dy [N,O,H',W']");
  const Shape w{y[1], x[1], a.height, a.width};
  check_conv(v, x, w, y);
  return {result(v.dtype(0), w)};
}

Results batch_norm(const OperandView& v) {
  same_float(v, 1);
  check_channels(v, 1, 2);
  return {result(v.dtype(0), v.shape(0)), result(v.dtype(1), v.shape(1)), result(v.dtype(1), v.shape(1))};
}

Results batch_norm_gradient(const OperandView& v) {
  same_float(v, 1);
  check_channels(v, 1, 3);
  v.require(v.shape(4) == v.shape(0) && v.dtype(4) == v.dtype(0), "dy like x");
  return {result(v.dtype(0), v.shape(0)), result(v.dtype(1), v.shape(1)), result(v.dtype(1), v.shape(1))};
}

Results batch_norm_inference(const OperandView& v) {
  same_float(v, 1);
  check_channels(v, 1, 4);
  return {result(v.dtype(0), v.shape(0))};
}

Results unary_float(const OperandView& v) {
  same_float(v, 1);
  return {result(v.dtype(0), v.shape(0))};
}

Results binary_float(const OperandView& v) {
  same_float(v, 2);
  return {result(v.dtype(0), broadcast_shape(v, v.shape(0), v.shape(1)))};
}

Results less(const OperandView& v) {
  same_float(v, 2);
  return {result(DType::boolean, broadcast_shape(v, v.shape(0), v.shape(1)))};
}

Results logical_or(const OperandView& v) {
  v.require(v.dtype(0) == DType::boolean && v.dtype(1) == DType::boolean, "boolean operands");
  return {result(DType::boolean, broadcast_shape(v, v.shape(0), v.shape(1)))};
}

Results select(const OperandView& v) {
  v.require(v.dtype(0) == DType::boolean, "a boolean condition");
  v.require(v.dtype(1) == v.dtype(2) && v.shape(1) == v.shape(2), "two alternatives of one shape and format");
  v.require(v.shape(0).rank() == 0 || v.shape(0) == v.shape(1),
            "a condition that is a scalar or of the same shape");
  return {result(v.dtype(1), v.shape(1))};
}

Results sum(const OperandView& v) {
  same_float(v, 1);
  Shape shape = v.shape(0);
  const unsigned mask = v.get<AxesAttributes>().mask;
  v.require(mask < (1u << shape.rank()), "axes of the operand");
  for (int axis = 0; axis < shape.rank(); ++axis)
    if (mask >> axis & 1u) shape[axis] = 1;
  return {result(v.dtype(0), shape)};
}

Results any_nonfinite(const OperandView& v) {
  for (std::size_t i = 0; i < v.ids.size(); ++i) v.require(is_float(v.dtype(i)), "floating operands");
  return {result(DType::boolean, {})};
}

Results exponent_histogram(const OperandView& v) {
  same_float(v, 1);
  return {result(DType::i32, {histogram_counts})};
}

Results softmax(const OperandView& v) {
  same_float(v, 1);
  v.require(v.shape(0).rank() == 2, "logits [N,K]");
  return {result(v.dtype(0), v.shape(0))};
}

Results softmax_cross_entropy(const OperandView& v) {
  same_float(v, 1);
  v.require(v.shape(0).rank() == 2 && v.shape(1) == Shape{v.shape(0)[0]} && v.dtype(1) == DType::i32,
            "logits [N,K] and i32 labels [N]");
  return {result(v.dtype(0), {v.shape(0)[0], 1})};
}

Results reshape(const OperandView& v) {
  const auto& shape = v.get<ShapeAttributes>().shape;
  v.require(shape.elements() == v.shape(0).elements(), "a shape of as many elements");
  return {result(v.dtype(0), shape)};
}

Results broadcast(const OperandView& v) {
  const auto& shape = v.get<ShapeAttributes>().shape;
  v.require(broadcast_shape(v, v.shape(0), shape) == shape, "a shape that the operand's extents of 1 fill");
  return {result(v.dtype(0), shape)};
}

Results concat(const OperandView& v) {
  const int axis = v.get<AxisAttributes>().axis;
  Shape shape = v.shape(0);
  v.require(axis >= 0 && axis < shape.rank(), "an axis of the operands");
  for (std::size_t i = 1; i < v.ids.size(); ++i) {
    Shape other = v.shape(i);
    v.require(other.rank() == shape.rank() && v.dtype(i) == v.dtype(0), "operands of one rank and format");
    shape[axis] += other[axis];
    other[axis] = shape[axis];
    v.require(other == shape, "equal extents off the axis");
  }
  return {result(v.dtype(0), shape)};
}

Results slice(const OperandView& v) {
  const auto& a = v.get<AxisAttributes>();
  Shape shape = v.shape(0);
  v.require(a.axis >= 0 && a.axis < shape.rank(), "an axis of the operand");
  v.require(a.begin >= 0 && a.length >= 1 && a.begin + a.length <= shape[a.axis], "a range of that axis");
  shape[a.axis] = a.length;
  return {result(v.dtype(0), shape)};
}

Results cast(const OperandView& v) {
  const DType to = v.get<CastAttributes>().dtype;
  v.require(to != DType::tf32 && (is_float(to) || to == v.dtype(0)), "a floating storage format to cast to");
  return {result(to, v.shape(0))};
}

Results detach(const OperandView& v) {
  return {result(v.dtype(0), v.shape(0))};
}

Results gradient_of(const OperandView& v) {
  v.require(is_float(v.dtype(0)) && is_float(v.dtype(1)), "two floating values");
  const bool wide = v.dtype(0) == DType::f64 || v.dtype(1) == DType::f64;
  return {result(wide ? DType::f64 : DType::f32, v.shape(1))};
}

Results one_hot(const OperandView& v) {
  v.require(v.dtype(0) == DType::i32 && v.shape(0).rank() == 1, "i32 labels [N]");
  v.require(v.get<AxisAttributes>().length >= 1, "at least one class");
  return {result(DType::f32, {v.shape(0)[0], v.get<AxisAttributes>().length})};
}

Results random(const OperandView& v) {
  const auto& a = v.get<RandomAttributes>();
  v.require(v.dtype(0) == DType::i32 && v.shape(0) == Shape{4}, "a counter, i32 [4]");
  v.require(v.op != Op::random_uniform || a.low <= a.high, "numbers in [low, high): low at most high");
  return {result(DType::f32, a.shape)};
}

Results random_integer(const OperandView& v) {
  const auto& a = v.get<RandomAttributes>();
  v.require(v.dtype(0) == DType::i32 && v.shape(0) == Shape{4}, "a counter, i32 [4]");
  constexpr double least = std::numeric_limits<std::int32_t>::min(), end = 0x1p31;
  v.require(std::floor(a.low) == a.low && std::floor(a.high) == a.high && least <= a.low && a.low < a.high &&
                a.high <= end && a.high - a.low < end,
            "whole numbers in [low, high) of 32 bits, low below high");
  return {result(DType::i32, a.shape)};
}

Results advance_random(const OperandView& v) {
  v.require(v.dtype(0) == DType::i32 && v.shape(0) == Shape{4}, "a counter, i32 [4]");
  return {result(DType::i32, {4})};
}

Results count(const OperandView& v) {
  scalar(v, 0, DType::i32);
  scalar(v, 1, DType::boolean);
  return {result(DType::i32, {})};
}

Results schedule(const OperandView& v) {
  const auto& a = v.get<ScheduleAttributes>();
  scalar(v, 0, DType::i32);
  v.require(a.dtype == DType::f32 || a.dtype == DType::f64, "a learning rate in f32 or f64");
  v.require(a.warmup >= 0 && a.length >= 1 && a.every >= 1, "lengths of at least one update");
  return {result(a.dtype, {})};
}

Results adam(const OperandView& v) {
  using enum AdamOperand::Index;
  v.require(v.dtype(parameter) == DType::f32 || v.dtype(parameter) == DType::f64,
            "a parameter in f32 or f64");
  for (const auto moment : {mean, variance})
    v.require(v.shape(moment) == v.shape(parameter) && v.dtype(moment) == v.dtype(parameter),
              "moments like the parameter");
  scalar(v, step, DType::i32);
  v.require(v.shape(gradient) == v.shape(parameter) && is_float(v.dtype(gradient)),
            "a gradient of the parameter's shape");
  scalar(v, inverse_scale, DType::f32);
  scalar(v, skip, DType::boolean);
  scalar(v, learning_rate, v.dtype(parameter));
  return Results(3, result(v.dtype(parameter), v.shape(parameter)));
}

Results moving_average(const OperandView& v) {
  same_float(v, 2);
  v.require(v.shape(0) == v.shape(1), "running and batch values of one shape");
  return {result(v.dtype(0), v.shape(0))};
}

}  // namespace shape_rules
}  // namespace halfling
