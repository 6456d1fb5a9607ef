// SPDX-License-Identifier: Apache-2.0
// What tile loops compute. A light header: device code includes it.
#pragma once

#include <cstdint>

namespace halfling::program {

/// What one tile instruction computes, element by element, in f32. Booleans are 0 and 1.
enum class TileOp : std::uint8_t {
  copy,
  add,
  subtract,
  multiply,
  divide,
  minimum,
  maximum,
  affine,               ///< p[0] a + p[1]
  leaky_relu,           ///< a > 0 ? a : p[0] a
  leaky_relu_gradient,  ///< a > 0 ? b : p[0] b
  sigmoid,
  tanh,
  exp,
  log,
  sqrt,
  less,
  select,                 ///< a != 0 ? b : c, bits unchanged
  sigmoid_cross_entropy,  ///< p[0]: target
  moving_average,         ///< a running, b batch; p[0]: momentum, p[1]: momentum * correction
  count,                  ///< i32: a + (b != 0 ? 0 : 1)
  from_i32,
  round_f16,
  round_bf16,
};
inline constexpr int tile_op_count = static_cast<int>(TileOp::round_bf16) + 1;

}  // namespace halfling::program
