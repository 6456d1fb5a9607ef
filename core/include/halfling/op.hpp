// SPDX-License-Identifier: Apache-2.0
// The closed op set, and the attributes of each op. What an op does (shape rule, gradient rule, cost) stands
// in one row of the table in core/graph/op_table.cpp. Shapes below: N batch, C channels, H x W image.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "halfling/dtype.hpp"
#include "halfling/shape.hpp"

namespace halfling {

enum class Op : std::uint8_t {
  // source
  input,     ///< written by the host before a run
  state,     ///< the value of a persistent state at the start of a run
  constant,  ///< every element has one value
  // contraction; FLOPs = 2 x multiply-adds. A result with an infinity or a NaN among its products is not
  // finite, so that no overflow is hidden. Which of the two it is, is not promised; and where an operand
  // holds one of them, other results may be NaN, too: a library may multiply elements with zeros that fill
  // up its tiles, and 0 x infinity is NaN. oneDNN does so on AMX, with what stands beside the window of a
  // convolution.
  matmul,                  ///< (a [m,k], b [k,n]) -> [m,n]; either operand may be transposed
  conv2d,                  ///< (x [N,C,H,W], w [O,C,kh,kw]) -> [N,O,H',W'], H' = (H + 2 pad - kh)/stride + 1
  conv2d_input_gradient,   ///< (dy [N,O,H',W'], w [O,C,kh,kw]) -> [N,C,H,W]; also transposed convolution
  conv2d_weight_gradient,  ///< (x [N,C,H,W], dy [N,O,H',W']) -> [O,C,kh,kw]
  // normalization, over every axis but C; statistics and affine parameters keep their own (wider) format
  batch_norm,            ///< (x, gamma [C], beta [C]) -> y, mean [C], biased variance [C]
  batch_norm_gradient,   ///< (x, gamma, mean, variance, dy) -> dx, dgamma, dbeta; mean and variance are x's
  batch_norm_inference,  ///< (x, gamma, beta, mean, variance) -> y
  // pointwise; two operands of equal rank broadcast where an extent is 1. A NaN gives a NaN, except where
  // it is only compared (less is then false) or select leaves it
  add,
  subtract,
  multiply,
  divide,
  minimum,              ///< NaN where either operand is; of 0 and -0 it may be either
  maximum,              ///< like minimum
  affine,               ///< scale * x + shift
  leaky_relu,           ///< x > 0 ? x : slope * x; slope 0 is ReLU: x <= 0 ? 0 : x, so 0 for -infinity too
  leaky_relu_gradient,  ///< (x, dy) -> x > 0 ? dy : slope * dy; slope 0: x <= 0 ? 0 : dy, for any dy
  sigmoid,
  softplus,  ///< log(1 + exp(x)), for large x too
  tanh,
  exp,
  log,
  sqrt,        ///< its gradient at 0 is 0, so that a norm has one: the smallest of its subgradients
  less,        ///< (a, b) -> boolean
  logical_or,  ///< boolean
  select,      ///< (condition, a, b) -> condition ? a : b
  // reduction
  sum,                 ///< over the axes of a mask; they stay with extent 1
  any_nonfinite,       ///< (values...) -> boolean scalar: is an infinity or a NaN among them
  exponent_histogram,  ///< x -> i32 [histogram_counts]: how many elements have which binary exponent
  // loss; of infinite logits the limit, NaN where there is none
  softmax,                ///< over the last axis of [N,K]
  sigmoid_cross_entropy,  ///< x -> max(x,0) - x*target + log(1+exp(-|x|)), element by element
  softmax_cross_entropy,  ///< (logits [N,K], labels i32 [N]) -> [N,1]: -log softmax(logits)[label];
                          ///< NaN, and so its gradients, where the label is not one of 0 ... K-1
  // shape
  reshape,
  broadcast,    ///< to a shape of equal rank, from extents of 1
  concat,       ///< along one axis
  slice,        ///< a range of one axis
  cast,         ///< from any format to a floating one, rounded once
  detach,       ///< the value itself; no gradient flows through
  gradient_of,  ///< (y, x) -> the gradient of the sum of y by x, of x's shape, f32 (f64 where either is f64).
                ///< Only in forward graphs: the precision pass replaces it by the backward pass that it
                ///< stands for, and no backend has it
  one_hot,      ///< i32 [N] -> f32 [N,K]; a row of NaN where the label is not one of 0 ... K-1
  // random; a function of the counter state i32 [4], the stream and the element's index: see random.hpp
  random_uniform,  ///< counter -> f32 in [low, high), both rounded to f32
  random_normal,   ///< counter -> f32 with mean `low` and standard deviation `high`
  random_integer,  ///< counter -> i32 in [low, high), each as likely; both are whole numbers
  // update
  advance_random,  ///< counter -> counter of the next iteration
  count,           ///< (counter i32, skip boolean) -> counter + (skip ? 0 : 1)
  schedule,        ///< step i32 -> learning rate of that update, f32 or f64; see ScheduleAttributes
  adam,  ///< (p, m, v, step i32, g, inverse_scale, skip, learning_rate) -> p, m, v; see AdamAttributes
  moving_average,  ///< (running, batch) -> see MovingAverageAttributes
};
inline constexpr int op_count = static_cast<int>(Op::moving_average) + 1;

/// Whether an op is on a list: is_one_of<Op::add, Op::sum>(op).
template <Op... ops>
constexpr bool is_one_of(Op op) {
  return ((op == ops) || ...);
}

/// The counts of exponent_histogram, which together are the elements of x: first the zeros, then for each
/// exponent e from least_exponent on the elements with 2^e <= |x| < 2^(e+1), last the infinities and NaNs.
/// The exponents are those of f32 with its subnormals, so of f16 and bf16 too; elements of f64 beyond count
/// with the nearest.
inline constexpr int least_exponent = -149;
inline constexpr int greatest_exponent = 127;
inline constexpr int histogram_counts = 1 + (greatest_exponent - least_exponent + 1) + 1;

enum class OpClass : std::uint8_t {
  source,
  contraction,
  normalization,
  pointwise,
  reduction,
  loss,
  shape,
  random,
  update,
};

/// "unknown" for a number beyond the enumeration.
HALFLING_API std::string_view name_of(Op op);
HALFLING_API std::string_view name_of(OpClass op_class);
/// Throws Error for a number beyond the enumeration.
HALFLING_API OpClass class_of(Op op);
/// How many operands a node of this op has at least; only concat and any_nonfinite take more. Throws Error
/// for a number beyond the enumeration.
HALFLING_API int operand_count(Op op);

// Attributes, one struct per need.
struct NameAttributes {  // input, state
  std::string name;
  bool operator==(const NameAttributes&) const = default;
};
struct ConstantAttributes {
  double value = 0;
  DType dtype = DType::f32;
  Shape shape;
  bool operator==(const ConstantAttributes&) const = default;
};
struct MatmulAttributes {
  bool transpose_a = false;
  bool transpose_b = false;
  bool operator==(const MatmulAttributes&) const = default;
};
struct ConvAttributes {
  int stride = 1;
  int padding = 0;
  /// conv2d_input_gradient: H and W of x; conv2d_weight_gradient: kh and kw; conv2d: unused, 0.
  std::int64_t height = 0;
  std::int64_t width = 0;
  bool operator==(const ConvAttributes&) const = default;
};
struct EpsilonAttributes {  // batch_norm…: y = (x - mean) / sqrt(variance + epsilon) * gamma + beta
  double epsilon = 1e-5;
  bool operator==(const EpsilonAttributes&) const = default;
};
struct AffineAttributes {
  double scale = 1;
  double shift = 0;
  bool operator==(const AffineAttributes&) const = default;
};
struct SlopeAttributes {
  double slope = 0;
  bool operator==(const SlopeAttributes&) const = default;
};
struct AxesAttributes {  // sum
  unsigned mask = 0;     ///< bit i: axis i
  bool operator==(const AxesAttributes&) const = default;
};
struct TargetAttributes {  // sigmoid_cross_entropy
  double target = 0;
  bool operator==(const TargetAttributes&) const = default;
};
struct ShapeAttributes {  // reshape, broadcast
  Shape shape;
  bool operator==(const ShapeAttributes&) const = default;
};
struct AxisAttributes {  // concat (axis), slice (axis, begin, length), one_hot (length = K)
  int axis = 1;
  std::int64_t begin = 0;
  std::int64_t length = 0;
  bool operator==(const AxisAttributes&) const = default;
};
struct CastAttributes {
  DType dtype = DType::f32;
  bool operator==(const CastAttributes&) const = default;
};
struct RandomAttributes {
  Shape shape;
  double low = 0;
  double high = 1;
  std::uint32_t stream = 0;  ///< different streams of one counter are independent
  bool operator==(const RandomAttributes&) const = default;
};
/// A learning rate: `rate` multiplied by a factor that follows from the number of the update, 1 for the first
/// one. Lengths are updates. schedule.hpp has the formulas.
struct ScheduleAttributes {
  enum class Kind : std::uint8_t { constant, linear, cosine, step };
  Kind kind = Kind::constant;
  double rate = 0;
  std::int64_t warmup = 0;   ///< first updates, in which the factor rises from warmup_factor to 1
  double warmup_factor = 0;  ///< of the first update
  std::int64_t length = 1;   ///< linear, cosine: after the warm-up, until the factor is end_factor
  double end_factor = 0;
  std::int64_t every = 1;  ///< step: updates after which the factor is multiplied by `factor`
  double factor = 1;
  DType dtype = DType::f32;  ///< of the result
  bool operator==(const ScheduleAttributes&) const = default;
};
/// What Op::adam takes, in this order; what it gives are the first three, changed.
struct AdamOperand {
  enum Index : std::size_t { parameter, mean, variance, step, gradient, inverse_scale, skip, learning_rate };
};
/// Kingma and Ba 2015, Algorithm 1, t = step (1 for the first update), gradient = inverse_scale * g:
///   m' = beta1 m + (1 - beta1) g;  v' = beta2 v + (1 - beta2) g^2
///   p' = p - learning_rate * (m' / (1 - beta1^t)) / (sqrt(v' / (1 - beta2^t)) + epsilon)
/// With `skip` set, p, m and v stay as they are. The learning rate is a scalar in p's format.
struct AdamAttributes {
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  bool operator==(const AdamAttributes&) const = default;
};
/// running' = (1 - momentum) running + momentum * correction * batch; an element whose batch value is not
/// finite keeps its running value, so an overflowing iteration cannot poison the statistics.
struct MovingAverageAttributes {
  double momentum = 0.1;
  double correction = 1;  ///< n / (n - 1) turns a biased variance over n values into the unbiased one
  bool operator==(const MovingAverageAttributes&) const = default;
};

using Attributes =
    std::variant<std::monostate, NameAttributes, ConstantAttributes, MatmulAttributes, ConvAttributes,
                 EpsilonAttributes, AffineAttributes, SlopeAttributes, AxesAttributes, TargetAttributes,
                 ShapeAttributes, AxisAttributes, CastAttributes, RandomAttributes, ScheduleAttributes,
                 AdamAttributes, MovingAverageAttributes>;

}  // namespace halfling
