// SPDX-License-Identifier: Apache-2.0
// A window over a sample, which may reach beyond its border: what pad, shift and crop write.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "halfling/option.hpp"
#include "halfling/transform.hpp"

namespace halfling {

/// What lies outside of a sample.
struct Border {
  enum class Mode {
    constant,
    edge,     ///< the nearest pixel
    reflect,  ///< mirrored at the outermost pixel, which is not repeated
  };
  Mode mode = Mode::constant;
  std::uint8_t value = 0;  ///< of every channel, where constant
};

inline constexpr const char* border_modes = "constant|edge|reflect";
/// The help of the options that border_of reads.
inline constexpr const char* mode_help =
    "what lies outside: a constant, the nearest pixel, the mirrored sample";
inline constexpr const char* value_help = "the constant; 0 is black, 255 white";

inline Border border_of(const Options& options) {
  const std::string_view mode = options.string("mode");
  const auto value = static_cast<std::uint8_t>(options.integer("value"));
  if (mode == "edge") return {Border::Mode::edge, value};
  if (mode == "reflect") return {Border::Mode::reflect, value};
  return {Border::Mode::constant, value};
}

/// Where pixel `at` of an axis of `length` pixels is taken from; -1: it has the border's constant.
inline std::int64_t source_of(std::int64_t at, std::int64_t length, Border::Mode mode) {
  if (at >= 0 && at < length) return at;
  if (mode == Border::Mode::constant) return -1;
  if (mode == Border::Mode::edge || length == 1) return std::clamp<std::int64_t>(at, 0, length - 1);
  const std::int64_t period = 2 * (length - 1), in = (at % period + period) % period;
  return in < length ? in : period - in;
}

/// Writes the window of `to`'s shape {C, height, width} whose upper left pixel is (top, left) of the sample.
/// Pixels are bytes.
inline void copy_window(const Shape& sample, std::span<const std::byte> from, const Shape& window,
                        std::span<std::byte> to, std::int64_t top, std::int64_t left, const Border& border) {
  std::vector<std::int64_t> columns(static_cast<std::size_t>(window[2]));
  for (std::int64_t x = 0; x < window[2]; ++x)
    columns[static_cast<std::size_t>(x)] = source_of(left + x, sample[2], border.mode);
  std::byte* out = to.data();
  for (std::int64_t c = 0; c < window[0]; ++c)
    for (std::int64_t y = 0; y < window[1]; ++y) {
      const std::int64_t row = source_of(top + y, sample[1], border.mode);
      const std::byte* in = from.data() + (c * sample[1] + std::max<std::int64_t>(row, 0)) * sample[2];
      for (const std::int64_t column : columns)
        *out++ = row < 0 || column < 0 ? std::byte{border.value} : in[column];
    }
}

}  // namespace halfling
