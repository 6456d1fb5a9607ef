// SPDX-License-Identifier: Apache-2.0
// An 8-bit picture in memory.
#pragma once

#include <cstdint>
#include <vector>

namespace halfling {

struct Image {
  int width = 0, height = 0;
  int channels = 1;                  ///< 1 gray or 3 RGB
  std::vector<std::uint8_t> pixels;  ///< rows from the top, channels interleaved, no padding
};

}  // namespace halfling
