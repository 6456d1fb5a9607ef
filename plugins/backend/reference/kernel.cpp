// SPDX-License-Identifier: Apache-2.0
#include "kernel.hpp"

#include <array>
#include <cmath>

namespace halfling::reference {

double Call::rounded(double value, std::size_t i) const {
  const DType format = out(i).dtype;
  if (!is_float(format)) return value;
  const DType compute = node->compute == DType::tf32 ? DType::f32 : node->compute;
  return round_to(format, round_to(compute, value));
}

void Call::set_all(const std::vector<double>& values, std::size_t i) const {
  for (std::size_t index = 0; index < values.size(); ++index) set(index, values[index], i);
}

namespace {

// --- pointwise ops; operands of two and more broadcast where an extent is 1
double element(const Call& call, std::size_t operand, std::size_t index) {
  const Tensor& tensor = call.in(operand);
  if (tensor.shape == call.out().shape) return tensor.elements[index];
  if (tensor.elements.size() == 1) return tensor.elements[0];  // also the scalar condition of a select
  const auto at = broadcast_index(call.out().shape, tensor.shape, static_cast<std::int64_t>(index));
  return tensor.elements[static_cast<std::size_t>(at)];
}

template <auto function>
void unary(const Call& call) {
  for (std::size_t i = 0; i < call.out().elements.size(); ++i) call.set(i, function(element(call, 0, i)));
}
template <auto function>
void binary(const Call& call) {
  for (std::size_t i = 0; i < call.out().elements.size(); ++i)
    call.set(i, function(element(call, 0, i), element(call, 1, i)));
}

void affine(const Call& call) {
  const auto& [scale, shift] = call.attributes<AffineAttributes>();
  for (std::size_t i = 0; i < call.out().elements.size(); ++i)
    call.set(i, scale * element(call, 0, i) + shift);
}
/// What a rectifier makes of operand `passed` where x is operand 0. Slope 0 stops even an infinity; a NaN x
/// does not.
template <std::size_t passed>
void rectify(const Call& call) {
  const double slope = call.attributes<SlopeAttributes>().slope;
  for (std::size_t i = 0; i < call.out().elements.size(); ++i) {
    const double x = element(call, 0, i), y = element(call, passed, i);
    call.set(i, slope == 0 ? (x <= 0 ? 0 : y) : (x > 0 ? y : slope * y));
  }
}
void select(const Call& call) {
  for (std::size_t i = 0; i < call.out().elements.size(); ++i)
    call.set(i, element(call, 0, i) != 0 ? element(call, 1, i) : element(call, 2, i));
}

struct Row {
  Op op;
  Kernel kernel;
};
constexpr Row rows[] = {
    {Op::matmul, matmul},
    {Op::conv2d, conv2d},
    {Op::conv2d_input_gradient, conv2d_input_gradient},
    {Op::conv2d_weight_gradient, conv2d_weight_gradient},
    {Op::batch_norm, batch_norm},
    {Op::batch_norm_gradient, batch_norm_gradient},
    {Op::batch_norm_inference, batch_norm_inference},

    {Op::add, binary<[](double a, double b) { return a + b; }>},
    {Op::subtract, binary<[](double a, double b) { return a - b; }>},
    {Op::multiply, binary<[](double a, double b) { return a * b; }>},
    {Op::divide, binary<[](double a, double b) { return a / b; }>},
    {Op::minimum, binary<[](double a, double b) { return std::isnan(a) || a < b ? a : b; }>},
    {Op::maximum, binary<[](double a, double b) { return std::isnan(a) || b < a ? a : b; }>},
    {Op::affine, affine},
    {Op::leaky_relu, rectify<0>},
    {Op::leaky_relu_gradient, rectify<1>},
    {Op::sigmoid, unary<[](double x) { return 1 / (1 + std::exp(-x)); }>},
    {Op::softplus, unary<[](double x) { return (0 < x ? x : 0) + std::log1p(std::exp(-std::abs(x))); }>},
    {Op::tanh, unary<[](double x) { return std::tanh(x); }>},
    {Op::exp, unary<[](double x) { return std::exp(x); }>},
    {Op::log, unary<[](double x) { return std::log(x); }>},
    {Op::sqrt, unary<[](double x) { return std::sqrt(x); }>},
    {Op::less, binary<[](double a, double b) { return a < b ? 1. : 0.; }>},
    {Op::logical_or, binary<[](double a, double b) { return a != 0 || b != 0 ? 1. : 0.; }>},
    {Op::select, select},

    {Op::sum, sum},
    {Op::any_nonfinite, any_nonfinite},
    {Op::exponent_histogram, exponent_histogram},
    {Op::softmax, softmax},
    {Op::sigmoid_cross_entropy, sigmoid_cross_entropy},
    {Op::softmax_cross_entropy, softmax_cross_entropy},
    {Op::reshape, copy},
    {Op::detach, copy},
    {Op::broadcast, broadcast},
    {Op::concat, concat},
    {Op::slice, slice},
    {Op::cast, cast},
    {Op::one_hot, one_hot},
    {Op::random_uniform, random_uniform},
    {Op::random_normal, random_normal},
    {Op::random_integer, random_integer},
    {Op::advance_random, advance_random},
    {Op::count, count},
    {Op::schedule, schedule},
    {Op::adam, adam},
    {Op::moving_average, moving_average},
};

constexpr auto kernels = [] {
  std::array<Kernel, op_count> by_op{};
  for (const Row& row : rows) by_op[static_cast<std::size_t>(row.op)] = row.kernel;
  return by_op;
}();

constexpr bool is_source(Op op) {
  return is_one_of<Op::input, Op::state, Op::constant>(op);
}

/// gradient_of is replaced before a graph is compiled.
constexpr bool needs_none(Op op) {
  return is_source(op) || op == Op::gradient_of;
}

// Counts rows: under -fsanitize=undefined, g++ takes no comparison of a function's address for a constant.
static_assert(
    [] {
      std::array<int, op_count> rows_of{};
      for (const Row& row : rows) ++rows_of[static_cast<std::size_t>(row.op)];
      for (int i = 0; i < op_count; ++i)
        if (rows_of[static_cast<std::size_t>(i)] != (needs_none(static_cast<Op>(i)) ? 0 : 1)) return false;
      return true;
    }(),
    "one row for every op that is neither a source nor replaced");

}  // namespace

bool has(Op op) {
  return is_source(op) || kernel_of(op) != nullptr;
}

Kernel kernel_of(Op op) {
  const auto index = static_cast<std::size_t>(op);
  return index < kernels.size() ? kernels[index] : nullptr;
}

}  // namespace halfling::reference
