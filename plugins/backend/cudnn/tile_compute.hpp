// SPDX-License-Identifier: Apache-2.0
// What the instructions of fused loops compute. Only *.cu files include this.
#pragma once

#include <cmath>

#include "tile_chunk.hpp"

namespace halfling::cudnn {

using program::TileOp;

HALFLING_DEVICE inline float sigmoid_cross_entropy(float x, float target) {
  const float positive = x > 0 ? x : 0;
  return positive - x * target + log1pf(expf(x > 0 ? -x : x));
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
      return each([&](int i) { return b.at[i] < a.at[i] ? b.at[i] : a.at[i]; });
    case TileOp::maximum:
      return each([&](int i) { return a.at[i] < b.at[i] ? b.at[i] : a.at[i]; });
    case TileOp::affine:
      return each([&](int i) { return p[0] * a.at[i] + p[1]; });
    case TileOp::leaky_relu:
      return each([&](int i) { return a.at[i] > 0 ? a.at[i] : p[0] * a.at[i]; });
    case TileOp::leaky_relu_gradient:
      return each([&](int i) { return a.at[i] > 0 ? b.at[i] : p[0] * b.at[i]; });
    case TileOp::sigmoid:
      return each([&](int i) { return 1.f / (1.f + expf(-a.at[i])); });
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
      return each([&](int i) { return sigmoid_cross_entropy(a.at[i], p[0]); });
    case TileOp::moving_average:
      return each([&](int i) { return moving_average(a.at[i], b.at[i], p[0], p[1]); });
    case TileOp::count:
      return each([&](int i) {
        return __builtin_bit_cast(float, __builtin_bit_cast(std::int32_t, a.at[i]) + (b.at[i] != 0 ? 0 : 1));
      });
    case TileOp::from_i32:
      return each([&](int i) { return static_cast<float>(__builtin_bit_cast(std::int32_t, a.at[i])); });
    case TileOp::round_f16:
      return each([&](int i) { return round_to<__half>(a.at[i]); });
    case TileOp::round_bf16:
      return each([&](int i) { return round_to<__nv_bfloat16>(a.at[i]); });
  }
  return a;
}

}  // namespace halfling::cudnn
