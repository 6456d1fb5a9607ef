// SPDX-License-Identifier: Apache-2.0
// Varies contrast and brightness of each sample: v' = (v - 127.5) c + 127.5 + b, rounded and kept within 0 to
// 255, with c and b drawn for every sample of every epoch.
#include <algorithm>
#include <array>
#include <cmath>

#include "halfling/transform.hpp"

namespace {

using namespace halfling;

class Exposure final : public Transform {
 public:
  explicit Exposure(const Options& options)
      : contrast_(options.number("contrast")), brightness_(options.number("brightness")) {}

  // A transform that changes the shape overrides `output`, too, and says there what it writes.
  //
  // Called from several threads at once. What is random comes from `random` alone: then a run is the same
  // whatever the number of threads, and after it was resumed.
  void apply(const SampleFormat&, std::span<const std::byte> from, std::span<std::byte> to,
             SampleRandom& random) const override {
    const double c = 1 + contrast_ * (2 * random.uniform() - 1);
    const double b = 255 * brightness_ * (2 * random.uniform() - 1);
    std::array<std::byte, 256> table;
    for (std::size_t v = 0; v < table.size(); ++v) {
      const double value = (static_cast<double>(v) - 127.5) * c + 127.5 + b;
      table[v] = static_cast<std::byte>(std::lround(std::clamp(value, 0.0, 255.0)));
    }
    std::ranges::transform(from, to.begin(),
                           [&](std::byte v) { return table[std::to_integer<std::size_t>(v)]; });
  }

 private:
  double contrast_, brightness_;
};

constexpr OptionDeclaration options[] = {
    {"contrast", OptionType::number, "", "0.2", "contrast is 1 - this to 1 + this times as high", 0, 1},
    {"brightness", OptionType::number, "", "0.1", "share of the range that all pixels move by at most", 0, 1},
};

}  // namespace

HALFLING_PLUGIN(Exposure, "@NAME@", "0.1.0", "varies contrast and brightness", options)
