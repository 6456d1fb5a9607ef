// SPDX-License-Identifier: Apache-2.0
#include "halfling/resample.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace halfling {

namespace {

/// Which source pixels, and with what weights, make a pixel of the result along one axis.
struct Taps {
  int first = 0;
  std::vector<float> weights;  // sum to 1
};

/// Of the `length` pixels from `begin` on, made `side` pixels.
std::vector<Taps> taps_of(int begin, int length, int side) {
  const double scale = static_cast<double>(length) / side, reach = std::max(scale, 1.0);
  std::vector<Taps> result(static_cast<std::size_t>(side));
  for (int i = 0; i < side; ++i) {
    const double centre = begin + (i + 0.5) * scale;
    const int first = std::max(begin, static_cast<int>(std::floor(centre - reach)));
    const int last = std::min(begin + length - 1, static_cast<int>(std::ceil(centre + reach)));
    Taps& taps = result[static_cast<std::size_t>(i)];
    taps.first = first;
    double sum = 0;
    for (int pixel = first; pixel <= last; ++pixel) {
      const double weight = std::max(0.0, 1 - std::abs(pixel + 0.5 - centre) / reach);
      taps.weights.push_back(static_cast<float>(weight));
      sum += weight;
    }
    for (float& weight : taps.weights) weight /= static_cast<float>(sum);
  }
  return result;
}

/// The sum over taps of values that lie `step` apart.
template <class Value>
float blend(const Taps& taps, const Value* values, std::size_t step) {
  float sum = 0;
  const Value* value = values + static_cast<std::size_t>(taps.first) * step;
  for (const float weight : taps.weights) {
    sum += weight * static_cast<float>(*value);
    value += step;
  }
  return sum;
}

}  // namespace

PixelView view_of(const Image& image) {
  const auto channels = static_cast<std::size_t>(image.channels);
  return {.data = image.pixels.data(),
          .width = image.width,
          .height = image.height,
          .channels = image.channels,
          .column_step = channels,
          .row_step = channels * static_cast<std::size_t>(image.width),
          .channel_step = 1};
}

PixelView planar_view(const std::uint8_t* data, int channels, int height, int width) {
  const auto row = static_cast<std::size_t>(width);
  return {.data = data,
          .width = width,
          .height = height,
          .channels = channels,
          .column_step = 1,
          .row_step = row,
          .channel_step = row * static_cast<std::size_t>(height)};
}

void middle_square(const PixelView& pixels, int side, std::span<std::uint8_t> to) {
  const int square = std::min(pixels.width, pixels.height);
  const std::vector<Taps> across = taps_of((pixels.width - square) / 2, square, side);
  const std::vector<Taps> down = taps_of((pixels.height - square) / 2, square, side);
  const auto height = static_cast<std::size_t>(pixels.height), edge = static_cast<std::size_t>(side);
  std::vector<float> narrow(height * edge);  // one channel, scaled across
  for (std::size_t c = 0; c < static_cast<std::size_t>(pixels.channels); ++c) {
    for (std::size_t y = 0; y < height; ++y) {
      const std::uint8_t* row = pixels.data + c * pixels.channel_step + y * pixels.row_step;
      for (std::size_t x = 0; x < edge; ++x) narrow[y * edge + x] = blend(across[x], row, pixels.column_step);
    }
    for (std::size_t y = 0; y < edge; ++y)
      for (std::size_t x = 0; x < edge; ++x)
        to[(c * edge + y) * edge + x] = static_cast<std::uint8_t>(
            std::clamp(blend(down[y], narrow.data() + x, edge), 0.0F, 255.0F) + 0.5F);
  }
}

}  // namespace halfling
