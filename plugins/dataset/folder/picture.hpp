// SPDX-License-Identifier: Apache-2.0
// PNG and JPEG files as 8-bit pictures.
#pragma once

#include <cstdint>
#include <string>

#include "halfling/image.hpp"

namespace halfling {

struct PictureFormat {
  int channels = 3;             ///< 1 gray or 3 RGB, whatever the file has
  std::uint8_t background = 0;  ///< gray level behind pixels that are transparent
};

/// Which of the two it is, the first bytes tell, not the name. Palettes, gray, alpha and 16 bits are
/// converted. Throws Error, with the file as `where`, for any other file, one that is damaged or ends in the
/// middle, one whose header claims more than a hundred million pixels (before memory is taken for them), and
/// a JPEG in CMYK.
Image read_picture(const std::string& file, const PictureFormat& format);

}  // namespace halfling
