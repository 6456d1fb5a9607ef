// SPDX-License-Identifier: Apache-2.0
// Convolution as a matrix product: the patches that the kernel sees, as rows.
#pragma once

#include "step.hpp"

namespace halfling::cpu {

/// One convolution y = conv(x, w) in N, H, W, C layout.
struct ConvGeometry {
  std::int64_t batch, height, width, channels;       ///< of x
  std::int64_t out_height, out_width, out_channels;  ///< of y
  std::int64_t kernel_height, kernel_width;
  std::int64_t stride, padding;
  std::int64_t rows() const { return batch * out_height * out_width; }
  std::int64_t patch() const { return kernel_height * kernel_width * channels; }
};

/// patches [N, H', W', kh, kw, C] from x [N, H, W, C], zero outside of the image; `element`: bytes of one.
void make_patches(const Team& team, const ConvGeometry& g, std::size_t element, const std::byte* x,
                  std::byte* patches);

/// x [N, H, W, C] as the sum of all patch elements that stand for it, in f32, rounded once to `dtype`.
/// `lines`: room for W C floats a thread.
void sum_patches(const Team& team, const ConvGeometry& g, const float* patches, float* lines, DType dtype,
                 std::byte* x);

}  // namespace halfling::cpu
