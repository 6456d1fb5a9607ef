// SPDX-License-Identifier: Apache-2.0
// 8-bit pictures as PNG files, and the grid that shows samples class by class.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "halfling/image.hpp"
#include "halfling/shape.hpp"

namespace halfling {

/// Appears complete or not at all (AtomicFile). Throws Error where the file cannot be written. `description`
/// goes into the file as text in UTF-8, unless it is empty.
void write_png(const std::filesystem::path& file, const Image& image, const std::string& description = {});
/// Throws Error where the file cannot be read, is no PNG, or claims more than 256 MiB of pixels. Colour
/// pictures come as RGB, others as gray.
Image read_png(const std::filesystem::path& file);

struct GridStyle {
  int scale = 0;  ///< whole factor of enlargement; 0: the least that makes a sample 56 pixels wide
  int gap = 4;    ///< pixels between samples; twice that around the grid
  std::uint8_t background = 255;
};

/// Lays out samples row by row. images: rows·columns samples, each C·H·W bytes (`sample_shape`, C is 1 or 3):
/// sample r·columns + c stands in row r, column c. One column per class is the caller's order.
Image grid(std::span<const std::uint8_t> images, const Shape& sample_shape, int columns,
           const GridStyle& style = {});

}  // namespace halfling
