// SPDX-License-Identifier: Apache-2.0
// Says what the bytes of samples are in the networks: of v in [0, 1], (v - mean) / deviation, as in
// torchvision.transforms.Normalize. The bytes stay as they are; the iteration's graph computes the rest, and
// generated images have the same range.
#include <algorithm>
#include <string>

#include "halfling/error.hpp"
#include "halfling/transform.hpp"

namespace {

using halfling::SampleFormat;
using halfling::ValueRange;

class Normalize : public halfling::Transform {
 public:
  explicit Normalize(const halfling::Options& options)
      : mean_(options.numbers("mean")), deviation_(options.numbers("deviation")) {}

  SampleFormat output(const SampleFormat& input) const override {
    const auto channels = static_cast<std::size_t>(input.shape[0]);
    check("mean", mean_.size(), channels);
    check("deviation", deviation_.size(), channels);
    const auto at = [](const std::vector<double>& list, std::size_t c) {
      return list.size() == 1 ? list[0] : list[c];
    };
    ValueRange values{{}, {}};
    for (std::size_t c = 0; c < std::max(mean_.size(), deviation_.size()); ++c) {
      values.low.push_back(-at(mean_, c) / at(deviation_, c));
      values.high.push_back((1 - at(mean_, c)) / at(deviation_, c));
    }
    return {.shape = input.shape, .dtype = input.dtype, .values = std::move(values)};
  }

  void apply(const SampleFormat&, std::span<const std::byte> from, std::span<std::byte> to,
             halfling::SampleRandom&) const override {
    std::ranges::copy(from, to.begin());
  }

 private:
  static void check(const char* option, std::size_t count, std::size_t channels) {
    if (count == 1 || count == channels) return;
    throw halfling::Error({.what = "normalize needs a number, or one for each channel",
                           .where = std::string("transform.") + option,
                           .got = std::to_string(count) + " numbers",
                           .expected = channels == 1 ? "1" : "1 or " + std::to_string(channels),
                           .kind = halfling::ErrorKind::usage});
  }

  std::vector<double> mean_, deviation_;
};

using enum halfling::OptionType;
constexpr halfling::OptionDeclaration options[] = {
    {"mean", number_list, "", "[0.5]",
     "subtracted; one for all channels or one for each, black is 0, white 1", 0, 1},
    {"deviation", number_list, "", "[0.5]", "divided by; with mean 0.5 and deviation 0.5, values are -1 to 1",
     1e-6, 1e6},
};

}  // namespace

HALFLING_PLUGIN(Normalize, "normalize", HALFLING_VERSION,
                "sets the range of values of images in the networks", options)
