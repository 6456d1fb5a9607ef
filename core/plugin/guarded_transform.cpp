// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "plugin/guarded.hpp"

namespace halfling {
namespace {

class GuardedTransform final : public Guarded<Transform> {
 public:
  using Guarded::Guarded;

  SampleFormat output(const SampleFormat& input) const override {
    const SampleFormat made =
        call("Transform::output", [&](const Transform& inner) { return inner.output(input); });
    bool good = made.shape.rank() == 3 && made.dtype == DType::u8;
    for (int axis = 0; good && axis < 3; ++axis) good = made.shape[axis] >= 1;
    if (!good)
      boundary().refuse("Transform::output",
                        {.what = "the transform makes samples that core cannot take",
                         .got = fmt::format("{} {}", name_of(made.dtype), made.shape.text()),
                         .expected = "u8 {channels, height, width}, each at least 1"});
    if (made.values && !is_range(*made.values, made.shape[0]))
      boundary().refuse(
          "Transform::output",
          {.what = "the transform gives samples a range of values that is none",
           .got = fmt::format("{} and {} numbers", made.values->low.size(), made.values->high.size()),
           .expected = "finite numbers low < high, one or one for each channel"});
    return made;
  }
  void apply(const SampleFormat& format, std::span<const std::byte> from, std::span<std::byte> to,
             SampleRandom& random) const override {
    call("Transform::apply", [&](const Transform& inner) { inner.apply(format, from, to, random); });
  }
};

}  // namespace

std::unique_ptr<Transform> guard(const Boundary& boundary, std::unique_ptr<Transform> inner) {
  return std::make_unique<GuardedTransform>(boundary, std::move(inner));
}

}  // namespace halfling
