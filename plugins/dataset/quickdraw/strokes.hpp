// SPDX-License-Identifier: Apache-2.0
// Strokes of a drawing, from the text of the simplified files and onto a bitmap.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace halfling {

/// Points of one stroke in the order they were drawn, on a canvas of 256 x 256 whose origin is the upper
/// left.
struct Stroke {
  std::vector<std::uint8_t> x, y;  ///< of one length, at least 1
};

/// The strokes of a line of a simplified file, `{"word": ..., "drawing": [[[x...], [y...]], ...]}`. Throws
/// Error (usage) for anything else, with `where` as it is given.
std::vector<Stroke> parse_strokes(std::string_view line, const std::string& where);

/// Draws the strokes white on black as the official 28x28 bitmaps were drawn, at any size: centred by their
/// bounding box, with round ends, 16 wide on the canvas, which has a margin of 24 on each side. Writes
/// size·size bytes. Thread-safe.
void render(const std::vector<Stroke>& strokes, int size, std::span<std::uint8_t> to);

}  // namespace halfling
