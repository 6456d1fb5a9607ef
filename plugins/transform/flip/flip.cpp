// SPDX-License-Identifier: Apache-2.0
// Mirrors a sample left to right.
#include <algorithm>
#include <cstring>

#include "halfling/transform.hpp"

namespace {

using halfling::SampleFormat;

void mirror_row(std::span<const std::byte> from, std::span<std::byte> to, std::size_t element) {
  for (std::size_t at = 0; at < from.size(); at += element)
    std::memcpy(&to[from.size() - element - at], &from[at], element);
}

class Flip : public halfling::Transform {
 public:
  explicit Flip(const halfling::Options& options) : probability_(options.number("probability")) {}

  void apply(const SampleFormat& format, std::span<const std::byte> from, std::span<std::byte> to,
             halfling::SampleRandom& random) const override {
    if (random.uniform() >= probability_) {
      std::ranges::copy(from, to.begin());
      return;
    }
    const std::size_t element = size_of(format.dtype);
    const std::size_t row = static_cast<std::size_t>(format.shape[2]) * element;
    for (std::size_t at = 0; at < from.size(); at += row)
      mirror_row(from.subspan(at, row), to.subspan(at, row), element);
  }

 private:
  double probability_;
};

using enum halfling::OptionType;
constexpr halfling::OptionDeclaration options[] = {
    {"probability", number, "", "0.5", "share of the samples that are mirrored", 0, 1},
};

}  // namespace

HALFLING_PLUGIN(Flip, "flip", HALFLING_VERSION, "mirrors samples left to right", options)
