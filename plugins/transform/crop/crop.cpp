// SPDX-License-Identifier: Apache-2.0
// A square window of each sample, at a place that is drawn, or in the middle.
#include <algorithm>
#include <string>

#include "../window.hpp"
#include "halfling/error.hpp"

namespace {

using halfling::SampleFormat;

class Crop : public halfling::Transform {
 public:
  explicit Crop(const halfling::Options& options)
      : size_(options.integer("size")), random_(options.string("position") == "random") {}

  SampleFormat output(const SampleFormat& input) const override {
    if (input.shape[1] < size_ || input.shape[2] < size_)
      throw halfling::Error(
          {.what = "the window is larger than the samples",
           .where = "transform.size",
           .got = std::to_string(size_),
           .expected = "at most " + std::to_string(std::min(input.shape[1], input.shape[2])),
           .hint = "crop before what makes samples smaller, or put `pad` before it",
           .kind = halfling::ErrorKind::usage});
    return {.shape = {input.shape[0], size_, size_}, .dtype = input.dtype};
  }

  void apply(const SampleFormat& format, std::span<const std::byte> from, std::span<std::byte> to,
             halfling::SampleRandom& random) const override {
    const std::int64_t down = format.shape[1] - size_, right = format.shape[2] - size_;
    const std::int64_t top = random_ ? random.integer(0, down) : down / 2;
    const std::int64_t left = random_ ? random.integer(0, right) : right / 2;
    copy_window(format.shape, from, output(format).shape, to, top, left, {});
  }

 private:
  std::int64_t size_;
  bool random_;
};

using enum halfling::OptionType;
constexpr halfling::OptionDeclaration options[] = {
    {"size", integer, "pixels", nullptr, "height and width of the window", 1, 4096},
    {"position", string, "", "\"random\"", "where the window lies", -halfling::unbounded, halfling::unbounded,
     "random|center"},
};

}  // namespace

HALFLING_PLUGIN(Crop, "crop", HALFLING_VERSION, "keeps a square window of samples", options)
