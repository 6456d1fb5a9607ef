// SPDX-License-Identifier: Apache-2.0
// Moves a sample by whole pixels, drawn for each axis.
#include "../window.hpp"

namespace {

using halfling::SampleFormat;

class Shift : public halfling::Transform {
 public:
  explicit Shift(const halfling::Options& options)
      : most_(options.integer("most")), border_(border_of(options)) {}

  void apply(const SampleFormat& format, std::span<const std::byte> from, std::span<std::byte> to,
             halfling::SampleRandom& random) const override {
    const std::int64_t down = random.integer(-most_, most_), right = random.integer(-most_, most_);
    copy_window(format.shape, from, format.shape, to, -down, -right, border_);
  }

 private:
  std::int64_t most_;
  halfling::Border border_;
};

using enum halfling::OptionType;
constexpr halfling::OptionDeclaration options[] = {
    {"most", integer, "pixels", "2", "largest shift along each axis, in both directions", 0, 1024},
    {"mode", string, "", "\"constant\"", halfling::mode_help, -halfling::unbounded, halfling::unbounded,
     halfling::border_modes},
    {"value", integer, "", "0", halfling::value_help, 0, 255},
};

}  // namespace

HALFLING_PLUGIN(Shift, "shift", HALFLING_VERSION, "moves samples by some pixels", options)
