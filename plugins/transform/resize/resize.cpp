// SPDX-License-Identifier: Apache-2.0
// Scales the largest square in the middle of a sample, as dataset `folder` does with pictures.
#include "halfling/resample.hpp"
#include "halfling/transform.hpp"

namespace {

using halfling::SampleFormat;

class Resize : public halfling::Transform {
 public:
  explicit Resize(const halfling::Options& options) : size_(options.integer("size")) {}

  SampleFormat output(const SampleFormat& input) const override {
    return {.shape = {input.shape[0], size_, size_}, .dtype = input.dtype};
  }

  void apply(const SampleFormat& format, std::span<const std::byte> from, std::span<std::byte> to,
             halfling::SampleRandom&) const override {
    const auto extent = [&](int axis) { return static_cast<int>(format.shape[axis]); };
    const auto* pixels = reinterpret_cast<const std::uint8_t*>(from.data());
    middle_square(halfling::planar_view(pixels, extent(0), extent(1), extent(2)), static_cast<int>(size_),
                  {reinterpret_cast<std::uint8_t*>(to.data()), to.size()});
  }

 private:
  std::int64_t size_;
};

using enum halfling::OptionType;
constexpr halfling::OptionDeclaration options[] = {
    {"size", integer, "pixels", nullptr, "height and width of the result", 1, 4096},
};

}  // namespace

HALFLING_PLUGIN(Resize, "resize", HALFLING_VERSION, "scales samples to a square", options)
