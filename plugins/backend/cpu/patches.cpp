// SPDX-License-Identifier: Apache-2.0
#include "patches.hpp"

#include <algorithm>
#include <cstring>

namespace halfling::cpu {
namespace {

/// One row: the patch of one output pixel.
void make_patch(const ConvGeometry& g, std::size_t element, const std::byte* image, std::int64_t oh,
                std::int64_t ow, std::byte* to) {
  const std::size_t pixel = static_cast<std::size_t>(g.channels) * element;
  const std::int64_t left = ow * g.stride - g.padding;
  const std::int64_t first = std::clamp<std::int64_t>(-left, 0, g.kernel_width);
  const std::int64_t last = std::clamp<std::int64_t>(g.width - left, first, g.kernel_width);
  const auto bytes = [&](std::int64_t pixels) { return static_cast<std::size_t>(pixels) * pixel; };
  for (std::int64_t kh = 0; kh < g.kernel_height; ++kh, to += bytes(g.kernel_width)) {
    const std::int64_t h = oh * g.stride - g.padding + kh;
    if (h < 0 || h >= g.height) {
      std::memset(to, 0, bytes(g.kernel_width));
      continue;
    }
    std::memset(to, 0, bytes(first));
    std::memcpy(to + bytes(first), image + bytes(h * g.width + left + first), bytes(last - first));
    std::memset(to + bytes(last), 0, bytes(g.kernel_width - last));
  }
}

/// One row of x: each pixel gathers from the patches that contain it.
void sum_row(const ConvGeometry& g, const float* patches, std::int64_t h, float* row) {
  std::fill_n(row, g.width * g.channels, 0.0f);
  for (std::int64_t kh = 0; kh < g.kernel_height; ++kh) {
    const std::int64_t at = h + g.padding - kh;
    if (at < 0 || at % g.stride != 0 || at / g.stride >= g.out_height) continue;
    const float* line = patches + at / g.stride * g.out_width * g.patch() + kh * g.kernel_width * g.channels;
    for (std::int64_t ow = 0; ow < g.out_width; ++ow, line += g.patch()) {
      const std::int64_t left = ow * g.stride - g.padding;
      const std::int64_t first = std::clamp<std::int64_t>(-left, 0, g.kernel_width);
      const std::int64_t last = std::clamp<std::int64_t>(g.width - left, first, g.kernel_width);
      float* to = row + (left + first) * g.channels;
      const float* from = line + first * g.channels;
      for (std::int64_t i = 0; i < (last - first) * g.channels; ++i) to[i] += from[i];
    }
  }
}

}  // namespace

void make_patches(const Team& team, const ConvGeometry& g, std::size_t element, const std::byte* x,
                  std::byte* patches) {
  const std::size_t image = static_cast<std::size_t>(g.height * g.width * g.channels) * element;
  const std::size_t patch = static_cast<std::size_t>(g.patch()) * element;
  team.split(g.batch * g.out_height, g.out_width * g.patch(), [&](Range range) {
    for (std::int64_t row = range.begin; row < range.end; ++row)
      for (std::int64_t ow = 0; ow < g.out_width; ++ow)
        make_patch(g, element, x + static_cast<std::size_t>(row / g.out_height) * image, row % g.out_height,
                   ow, patches + static_cast<std::size_t>(row * g.out_width + ow) * patch);
  });
}

void sum_patches(const Team& team, const ConvGeometry& g, const float* patches, float* lines, DType dtype,
                 std::byte* x) {
  const std::int64_t line = g.width * g.channels, rows = g.batch * g.height;
  const int threads = team.threads_for(rows * line * g.kernel_height * g.kernel_width);
  team.run(threads, [&](int thread) {
    float* row = lines + thread * line;
    const Range range = share(rows, thread, threads);
    for (std::int64_t i = range.begin; i < range.end; ++i) {
      const std::int64_t image = i / g.height;
      sum_row(g, patches + image * g.out_height * g.out_width * g.patch(), i % g.height, row);
      kernels().store(dtype, row, x + static_cast<std::size_t>(i * line) * size_of(dtype), line);
    }
  });
}

}  // namespace halfling::cpu
