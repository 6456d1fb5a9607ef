// SPDX-License-Identifier: Apache-2.0
// What the instructions of fused loops compute. Only *.cu files include this.
#pragma once

#include <cmath>

#include "tile_chunk.hpp"

namespace halfling::cudnn {

using program::TileOp;

HALFLING_DEVICE inline float softplus(float x) {
  return (x > 0 ? x : 0.f) + log1pf(expf(x > 0 ? -x : x));
}

HALFLING_DEVICE inline float sigmoid_cross_entropy(float x, float target, float rest) {
  const float slope = x > 0 ? rest : -target;         // of max(x, 0) - x target
  const float linear = slope == 0 ? 0.f : slope * x;  // not 0 * infinity
  return linear + log1pf(expf(x > 0 ? -x : x));
}

/// A value that every half format rounds as it would round x: from 2^24 on, where f32 does not hold each
/// whole number, the last digits only tell on which side of a half format's midpoints x lies.
HALFLING_DEVICE inline float narrowable(std::int32_t x) {
  const bool is_large = static_cast<std::uint32_t>(x) + 0x1000000u > 0x2000000u;
  const std::int32_t told = (x & ~0xff) | ((x & 0xff) != 0 ? 0x80 : 0);
  return static_cast<float>(is_large ? told : x);
}

/// What a rectifier lets through of y where x is not positive. Slope 0 stops even an infinity; a NaN x does
/// not.
HALFLING_DEVICE inline float below_zero(float x, float y, float slope) {
  if (slope != 0) return slope * y;
  return x <= 0 ? 0.f : y;
}

/// A batch that is not finite leaves no trace.
HALFLING_DEVICE inline float moving_average(float running, float batch, float momentum, float gain) {
  const bool is_finite = (__builtin_bit_cast(std::uint32_t, batch) & 0x7f800000u) != 0x7f800000u;
  return is_finite ? (1.f - momentum) * running + gain * batch : running;
}

HALFLING_DEVICE inline Values compute(TileOp op, const Values& a, const Values& b, const Values& c,
                                      const float (&p)[2]) {
  switch (op) {
    case TileOp::copy:
      return a;
    case TileOp::add:
      return each([&](int i) { return a.at[i] + b.at[i]; });
    case TileOp::subtract:
      return each([&](int i) { return a.at[i] - b.at[i]; });
    case TileOp::multiply:
      return each([&](int i) { return a.at[i] * b.at[i]; });
    case TileOp::divide:
      return each([&](int i) { return a.at[i] / b.at[i]; });
    case TileOp::minimum:
      return each([&](int i) { return b.at[i] < a.at[i] || b.at[i] != b.at[i] ? b.at[i] : a.at[i]; });
    case TileOp::maximum:
      return each([&](int i) { return a.at[i] < b.at[i] || b.at[i] != b.at[i] ? b.at[i] : a.at[i]; });
    case TileOp::affine:
      return each([&](int i) { return p[0] * a.at[i] + p[1]; });
    case TileOp::leaky_relu:
      return each([&](int i) { return a.at[i] > 0 ? a.at[i] : below_zero(a.at[i], a.at[i], p[0]); });
    case TileOp::leaky_relu_gradient:
      return each([&](int i) { return a.at[i] > 0 ? b.at[i] : below_zero(a.at[i], b.at[i], p[0]); });
    case TileOp::sigmoid:
      return each([&](int i) { return 1.f / (1.f + expf(-a.at[i])); });
    case TileOp::softplus:
      return each([&](int i) { return softplus(a.at[i]); });
    case TileOp::tanh:
      return each([&](int i) { return tanhf(a.at[i]); });
    case TileOp::exp:
      return each([&](int i) { return expf(a.at[i]); });
    case TileOp::log:
      return each([&](int i) { return logf(a.at[i]); });
    case TileOp::sqrt:
      return each([&](int i) { return sqrtf(a.at[i]); });
    case TileOp::less:
      return each([&](int i) { return a.at[i] < b.at[i] ? 1.f : 0.f; });
    case TileOp::select:
      return each([&](int i) { return a.at[i] != 0 ? b.at[i] : c.at[i]; });
    case TileOp::sigmoid_cross_entropy:
      return each([&](int i) { return sigmoid_cross_entropy(a.at[i], p[0], p[1]); });
    case TileOp::moving_average:
      return each([&](int i) { return moving_average(a.at[i], b.at[i], p[0], p[1]); });
    case TileOp::count:
      return each([&](int i) {
        return __builtin_bit_cast(float, __builtin_bit_cast(std::int32_t, a.at[i]) + (b.at[i] != 0 ? 0 : 1));
      });
    case TileOp::from_i32:
      return each([&](int i) {
        const auto number = __builtin_bit_cast(std::int32_t, a.at[i]);
        return p[0] != 0 ? narrowable(number) : static_cast<float>(number);
      });
    case TileOp::round_f16:
      return each([&](int i) { return round_to<__half>(a.at[i]); });
    case TileOp::round_bf16:
      return each([&](int i) { return round_to<__nv_bfloat16>(a.at[i]); });
  }
  return a;
}

}  // namespace halfling::cudnn
