// SPDX-License-Identifier: Apache-2.0
// Pictures of any size as square samples.
#pragma once

#include <cstdint>
#include <span>

#include "halfling/image.hpp"

namespace halfling {

/// The largest square in the middle of a picture, scaled to side x side pixels by a triangle filter, which
/// takes the mean over all that falls into a pixel where the picture becomes smaller and interpolates
/// linearly where it becomes larger. Writes C·side·side bytes in C, H, W order.
void middle_square(const Image& image, int side, std::span<std::uint8_t> to);

}  // namespace halfling
