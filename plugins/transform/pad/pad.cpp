// SPDX-License-Identifier: Apache-2.0
// Makes a sample larger by a border on each side.
#include "../window.hpp"

namespace {

using halfling::SampleFormat;

class Pad : public halfling::Transform {
 public:
  explicit Pad(const halfling::Options& options)
      : width_(options.integer("width")), border_(border_of(options)) {}

  SampleFormat output(const SampleFormat& input) const override {
    const halfling::Shape& s = input.shape;
    return {.shape = {s[0], s[1] + 2 * width_, s[2] + 2 * width_}, .dtype = input.dtype};
  }

  void apply(const SampleFormat& format, std::span<const std::byte> from, std::span<std::byte> to,
             halfling::SampleRandom&) const override {
    copy_window(format.shape, from, output(format).shape, to, -width_, -width_, border_);
  }

 private:
  std::int64_t width_;
  halfling::Border border_;
};

using enum halfling::OptionType;
constexpr halfling::OptionDeclaration options[] = {
    {"width", integer, "pixels", "4", "of the border on each side", 0, 1024},
    {"mode", string, "", "\"constant\"", halfling::mode_help, -halfling::unbounded, halfling::unbounded,
     halfling::border_modes},
    {"value", integer, "", "0", halfling::value_help, 0, 255},
};

}  // namespace

HALFLING_PLUGIN(Pad, "pad", HALFLING_VERSION, "puts a border around samples", options)
