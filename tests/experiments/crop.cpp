// SPDX-License-Identifier: Apache-2.0
// A transform that changes the shape: a window of each sample, at a place that is drawn.
#include <cstring>

#include "halfling/error.hpp"
#include "halfling/transform.hpp"

namespace {

using halfling::SampleFormat;

class Crop : public halfling::Transform {
 public:
  explicit Crop(const halfling::Options& options) : size_(options.integer("size")) {}

  SampleFormat output(const SampleFormat& input) const override {
    if (input.shape[1] < size_ || input.shape[2] < size_)
      throw halfling::Error(
          {.what = "the window is larger than the samples",
           .where = "transform.size",
           .got = std::to_string(size_),
           .expected = "at most " + std::to_string(std::min(input.shape[1], input.shape[2])),
           .hint = "crop before what makes samples smaller",
           .kind = halfling::ErrorKind::usage});
    return {.shape = {input.shape[0], size_, size_}, .dtype = input.dtype};
  }

  void apply(const SampleFormat& format, std::span<const std::byte> from, std::span<std::byte> to,
             halfling::SampleRandom& random) const override {
    const std::int64_t top = random.integer(0, format.shape[1] - size_);
    const std::int64_t left = random.integer(0, format.shape[2] - size_);
    const auto element = static_cast<std::int64_t>(size_of(format.dtype));
    for (std::int64_t row = 0; row < format.shape[0] * size_; ++row) {
      const std::int64_t source = row / size_ * format.shape[1] + top + row % size_;
      std::memcpy(to.data() + row * size_ * element,
                  from.data() + (source * format.shape[2] + left) * element,
                  static_cast<std::size_t>(size_ * element));
    }
  }

 private:
  std::int64_t size_;
};

using enum halfling::OptionType;
constexpr halfling::OptionDeclaration options[] = {
    {"size", integer, "pixels", nullptr, "height and width of the window", 1, 4096},
};

}  // namespace

HALFLING_PLUGIN(Crop, "crop", "1.0.0", "a window at a random place", options)
