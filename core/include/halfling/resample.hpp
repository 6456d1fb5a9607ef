// SPDX-License-Identifier: Apache-2.0
// Pixels of any size as square samples.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "halfling/export.hpp"
#include "halfling/image.hpp"

namespace halfling {

/// 8-bit pixels as they lie in memory: channel c of row y, column x is
/// data[c · channel_step + y · row_step + x · column_step].
struct PixelView {
  const std::uint8_t* data = nullptr;  ///< not owned
  int width = 0, height = 0, channels = 1;
  std::size_t column_step = 1, row_step = 0, channel_step = 0;
};

/// Channels interleaved, as in pictures.
HALFLING_API PixelView view_of(const Image& image);
/// C, H, W order, as in samples.
HALFLING_API PixelView planar_view(const std::uint8_t* data, int channels, int height, int width);

/// The largest square in the middle, scaled to side x side pixels by a triangle filter, which takes the mean
/// over all that falls into a pixel where the picture becomes smaller and interpolates linearly where it
/// becomes larger. Writes C·side·side bytes in C, H, W order.
HALFLING_API void middle_square(const PixelView& pixels, int side, std::span<std::uint8_t> to);

}  // namespace halfling
