// SPDX-License-Identifier: Apache-2.0
// Hides a square of a sample (DeVries and Taylor 2017, "Improved Regularization of Convolutional Neural
// Networks with Cutout"): its centre is any pixel, so that the square may reach over the border.
#include <algorithm>

#include "halfling/transform.hpp"

namespace {

using halfling::SampleFormat;

class Cutout : public halfling::Transform {
 public:
  explicit Cutout(const halfling::Options& options)
      : size_(options.integer("size")),
        probability_(options.number("probability")),
        value_(static_cast<std::byte>(options.integer("value"))) {}

  void apply(const SampleFormat& format, std::span<const std::byte> from, std::span<std::byte> to,
             halfling::SampleRandom& random) const override {
    std::ranges::copy(from, to.begin());
    if (random.uniform() >= probability_) return;
    const std::int64_t height = format.shape[1], width = format.shape[2];
    const std::int64_t top = random.integer(0, height - 1) - size_ / 2;
    const std::int64_t left = random.integer(0, width - 1) - size_ / 2;
    const std::int64_t begin = std::max<std::int64_t>(left, 0), end = std::min(left + size_, width);
    for (std::int64_t c = 0; c < format.shape[0]; ++c)
      for (std::int64_t y = std::max<std::int64_t>(top, 0); y < std::min(top + size_, height); ++y) {
        std::byte* row = to.data() + (c * height + y) * width;
        std::fill(row + begin, row + end, value_);
      }
  }

 private:
  std::int64_t size_;
  double probability_;
  std::byte value_;
};

using enum halfling::OptionType;
constexpr halfling::OptionDeclaration options[] = {
    {"size", integer, "pixels", "8", "side of the square", 1, 4096},
    {"probability", number, "", "1", "share of the samples that lose a square", 0, 1},
    {"value", integer, "", "0", "what stands there; 0 is black, 255 white", 0, 255},
};

}  // namespace

HALFLING_PLUGIN(Cutout, "cutout", HALFLING_VERSION, "hides a square of samples", options)
