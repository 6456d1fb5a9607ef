// SPDX-License-Identifier: Apache-2.0
// Dataset "synthetic": shapes of varying place, size and brightness, computed when they are read. It needs
// no files, so anything can be tried offline and in tests.
#include <algorithm>
#include <cmath>

#include "drawn_shapes.hpp"
#include "halfling/dataset.hpp"
#include "halfling/error.hpp"
#include "halfling/random.hpp"

namespace halfling {

namespace {

constexpr OptionDeclaration options[] = {
    {"samples", OptionType::integer, "images", "10000", "size of the data set", 1, 2147483648.0},
    {"size", OptionType::integer, "pixels", "28", "side of an image", 8, 4096},
    {"channels", OptionType::integer, "", "1", "1 (gray) or 3 (shapes in colours)", 1, 3},
    {"classes", OptionType::integer, "", "10", "shapes to tell apart", 1,
     static_cast<double>(drawn_shapes.size())},
    {"seed", OptionType::integer, "", "0", "another seed draws other images", 0, 9007199254740992.0},
};

class Synthetic : public Dataset {
 public:
  explicit Synthetic(const Options& given);

  std::int64_t size() const override { return samples_; }
  Shape sample_shape() const override { return {channels_, side_, side_}; }
  const std::vector<std::string>& classes() const override { return classes_; }
  std::int32_t read(std::int64_t index, std::span<std::uint8_t> pixels) const override;

 private:
  std::int64_t samples_, side_, channels_;
  std::uint64_t seed_;
  std::vector<std::string> classes_;
};

Synthetic::Synthetic(const Options& given)
    : samples_(given.integer("samples")),
      side_(given.integer("size")),
      channels_(given.integer("channels")),
      seed_(static_cast<std::uint64_t>(given.integer("seed"))) {
  if (channels_ == 2) {
    throw Error({.what = "an image has 1 or 3 channels",
                 .where = "dataset.channels",
                 .got = "2",
                 .expected = "1 or 3",
                 .kind = ErrorKind::usage});
  }
  if (samples_ < given.integer("classes")) {
    throw Error({.what = "a class has no sample",
                 .where = "dataset.samples",
                 .got = std::to_string(samples_) + " samples of " + std::to_string(given.integer("classes")) +
                        " classes",
                 .expected = "at least one sample of each class",
                 .hint = "raise dataset.samples, or lower dataset.classes",
                 .kind = ErrorKind::usage});
  }
  for (std::int64_t i = 0; i < given.integer("classes"); ++i) {
    classes_.emplace_back(drawn_shapes[static_cast<std::size_t>(i)].name);
  }
}

/// How one sample is drawn; lengths in units of the image's side.
struct Drawing {
  double x, y, radius;
  std::array<double, 3> colour;
};

Drawing drawing_of(std::uint64_t seed, std::uint32_t index) {
  const PhiloxWords state{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32), index, 0};
  const auto uniform = [&](std::uint32_t i, double low, double high) {
    return low + (high - low) * unit_uniform(random_word(state, stream_of("synthetic"), i));
  };
  Drawing result{};
  result.radius = uniform(0, 0.24, 0.38);
  const double room = 0.47 - result.radius;  // the figure stays inside
  result.x = 0.5 + uniform(1, -room, room);
  result.y = 0.5 + uniform(2, -room, room);
  const double brightness = uniform(3, 180, 255);
  const double hue = uniform(4, 0, 6);
  for (int c = 0; c < 3; ++c) {
    // The saturated hues: each channel is a trapezium over the colour circle, a third of it apart.
    const double turn = std::fmod(hue + 6 - 2 * c, 6);
    result.colour[static_cast<std::size_t>(c)] =
        brightness * std::clamp(std::min(turn, 6 - turn) - 1, 0.0, 1.0);
  }
  return result;
}

std::int32_t Synthetic::read(std::int64_t index, std::span<std::uint8_t> pixels) const {
  const auto label = static_cast<std::int32_t>(index % static_cast<std::int64_t>(classes_.size()));
  Drawing drawing = drawing_of(seed_, static_cast<std::uint32_t>(index));
  if (channels_ == 1) drawing.colour[0] = std::max({drawing.colour[0], drawing.colour[1], drawing.colour[2]});
  const double side = static_cast<double>(side_);
  const auto plane = static_cast<std::size_t>(side_ * side_);
  for (std::int64_t row = 0; row < side_; ++row) {
    for (std::int64_t column = 0; column < side_; ++column) {
      const double x = ((static_cast<double>(column) + 0.5) / side - drawing.x) / drawing.radius;
      const double y = ((static_cast<double>(row) + 0.5) / side - drawing.y) / drawing.radius;
      const double distance =
          drawn_shapes[static_cast<std::size_t>(label)].distance(x, y) * drawing.radius * side;
      const double coverage = std::clamp(0.5 - distance, 0.0, 1.0);
      for (std::size_t c = 0; c < static_cast<std::size_t>(channels_); ++c) {
        pixels[c * plane + static_cast<std::size_t>(row * side_ + column)] =
            static_cast<std::uint8_t>(std::lround(coverage * drawing.colour[c]));
      }
    }
  }
  return label;
}

}  // namespace

}  // namespace halfling

HALFLING_PLUGIN(halfling::Synthetic, "synthetic", HALFLING_VERSION, "procedural shapes; needs no files",
                halfling::options)
