// SPDX-License-Identifier: Apache-2.0
// What tile loops compute. A light header: device code includes it.
#pragma once

#include "halfling/op.hpp"

namespace halfling::program {

/// What one tile instruction computes, element by element, in f32. Booleans are 0 and 1.
enum class TileOp : std::uint8_t {
  copy,
  add,
  subtract,
  multiply,
  divide,
  minimum,              ///< NaN where either is
  maximum,              ///< like minimum; of booleans, or
  affine,               ///< p[0] a + p[1]
  leaky_relu,           ///< a > 0 ? a : p[0] a; p[0] = 0: a <= 0 ? 0 : a
  leaky_relu_gradient,  ///< a > 0 ? b : p[0] b; p[0] = 0: a <= 0 ? 0 : b
  sigmoid,
  softplus,  ///< log(1 + exp(a)), of any a
  tanh,
  exp,
  log,
  sqrt,
  less,
  select,                 ///< a != 0 ? b : c, bits unchanged
  sigmoid_cross_entropy,  ///< p[0]: target, p[1]: 1 - target
  moving_average,         ///< a running, b batch; p[0]: momentum, p[1]: momentum * correction
  count,                  ///< i32: a + (b != 0 ? 0 : 1)
  from_i32,               ///< p[0] != 0: to a value that every half format rounds as it would round the i32
  round_f16,
  round_bf16,
};
inline constexpr int tile_op_count = static_cast<int>(TileOp::round_bf16) + 1;

/// The ops of graphs that are one instruction, with the same operands.
struct TileOpOf {
  Op op;
  TileOp tile;
};
inline constexpr TileOpOf tile_ops[] = {
    {Op::add, TileOp::add},
    {Op::subtract, TileOp::subtract},
    {Op::multiply, TileOp::multiply},
    {Op::divide, TileOp::divide},
    {Op::minimum, TileOp::minimum},
    {Op::maximum, TileOp::maximum},
    {Op::affine, TileOp::affine},
    {Op::leaky_relu, TileOp::leaky_relu},
    {Op::leaky_relu_gradient, TileOp::leaky_relu_gradient},
    {Op::sigmoid, TileOp::sigmoid},
    {Op::softplus, TileOp::softplus},
    {Op::tanh, TileOp::tanh},
    {Op::exp, TileOp::exp},
    {Op::log, TileOp::log},
    {Op::sqrt, TileOp::sqrt},
    {Op::less, TileOp::less},
    {Op::logical_or, TileOp::maximum},
    {Op::select, TileOp::select},
    {Op::sigmoid_cross_entropy, TileOp::sigmoid_cross_entropy},
    {Op::broadcast, TileOp::copy},
    {Op::count, TileOp::count},
    {Op::moving_average, TileOp::moving_average},
};

}  // namespace halfling::program
