// SPDX-License-Identifier: Apache-2.0
// What each transform makes of a sample.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "scratch.hpp"
#include "transforms.hpp"

using namespace halfling;
using namespace halfling::test;

namespace {

using Settings = std::map<std::string, OptionValue>;

constexpr int draws = 9000;

Bytes made(const NamedTransform& named, const Shape& shape, const Bytes& pixels, std::int64_t sample = 0) {
  const SampleFormat format{.shape = shape};
  Bytes result(named.transform->output(format).bytes());
  SampleRandom random(1, 2, 3, sample);
  named.transform->apply(format, std::as_bytes(std::span(pixels)), std::as_writable_bytes(std::span(result)),
                         random);
  return result;
}

/// How often each result is drawn.
std::map<Bytes, int> counts(const NamedTransform& named, const Shape& shape, const Bytes& pixels) {
  std::map<Bytes, int> result;
  for (int i = 0; i < draws; ++i) ++result[made(named, shape, pixels, i)];
  return result;
}

/// Six deviations of a binomial count around its mean.
bool plausible(int count, double probability) {
  return std::abs(count - draws * probability) < 6 * std::sqrt(draws * probability * (1 - probability));
}

Settings border(const std::string& mode, std::int64_t value = 0) {
  return {{"mode", mode}, {"value", value}};
}

NamedTransform pad(std::int64_t width, Settings settings) {
  settings["width"] = width;
  return built("pad", settings);
}

NamedTransform shift(std::int64_t most, Settings settings) {
  settings["most"] = most;
  return built("shift", settings);
}

NamedTransform crop(std::int64_t size, const std::string& position) {
  return built("crop", {{"size", size}, {"position", position}});
}

NamedTransform cutout(std::int64_t size, double probability) {
  return built("cutout", {{"size", size}, {"probability", probability}, {"value", std::int64_t{0}}});
}

}  // namespace

TEST_CASE("pad puts a constant, the nearest pixel or the mirrored sample around each channel") {
  const Shape shape{1, 2, 3};
  const Bytes pixels{1, 2, 3, 4, 5, 6};
  // clang-format off
  CHECK(made(pad(1, border("constant", 9)), shape, pixels) == Bytes{
    9, 9, 9, 9, 9,
    9, 1, 2, 3, 9,
    9, 4, 5, 6, 9,
    9, 9, 9, 9, 9});
  CHECK(made(pad(1, border("edge")), shape, pixels) == Bytes{
    1, 1, 2, 3, 3,
    1, 1, 2, 3, 3,
    4, 4, 5, 6, 6,
    4, 4, 5, 6, 6});
  CHECK(made(pad(1, border("reflect")), shape, pixels) == Bytes{  // torch.nn.functional.pad(mode="reflect")
    5, 4, 5, 6, 5,
    2, 1, 2, 3, 2,
    5, 4, 5, 6, 5,
    2, 1, 2, 3, 2});
  CHECK(made(pad(3, border("reflect")), {1, 1, 3}, {1, 2, 3}) == Bytes{  // further than a sample is wide
    2, 3, 2, 1, 2, 3, 2, 1, 2,  2, 3, 2, 1, 2, 3, 2, 1, 2,  2, 3, 2, 1, 2, 3, 2, 1, 2,
    2, 3, 2, 1, 2, 3, 2, 1, 2,  2, 3, 2, 1, 2, 3, 2, 1, 2,  2, 3, 2, 1, 2, 3, 2, 1, 2,
    2, 3, 2, 1, 2, 3, 2, 1, 2});
  CHECK(made(pad(1, border("constant", 0)), {2, 1, 1}, {7, 8}) == Bytes{
    0, 0, 0, 0, 7, 0, 0, 0, 0,
    0, 0, 0, 0, 8, 0, 0, 0, 0});
  // clang-format on
  CHECK(made(pad(0, border("constant")), shape, pixels) == pixels);
}

TEST_CASE("shift moves all channels by one draw, each way as often") {
  const Shape shape{2, 2, 2};
  const Bytes pixels{1, 2, 3, 4, 5, 6, 7, 8};
  const std::map<Bytes, int> seen = counts(shift(1, border("constant", 9)), shape, pixels);
  CHECK(seen.size() == 9);
  for (const auto& [result, count] : seen) CHECK(plausible(count, 1.0 / 9));
  CHECK(seen.contains(pixels));
  CHECK(seen.contains(Bytes{9, 9, 1, 2, 9, 9, 5, 6}));  // down
  CHECK(seen.contains(Bytes{9, 1, 9, 3, 9, 5, 9, 7}));  // right
  CHECK(seen.contains(Bytes{4, 9, 9, 9, 8, 9, 9, 9}));  // up and left
  CHECK(counts(shift(1, border("edge")), shape, pixels).contains(Bytes{1, 2, 1, 2, 5, 6, 5, 6}));
}

TEST_CASE("crop keeps a window in the middle, or any with the same probability") {
  const Shape shape{1, 3, 4};
  const Bytes pixels{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  CHECK(made(crop(2, "center"), shape, pixels) == Bytes{2, 3, 6, 7});
  const std::map<Bytes, int> seen = counts(crop(2, "random"), shape, pixels);
  CHECK(seen.size() == 6);
  for (const auto& [result, count] : seen) CHECK(plausible(count, 1.0 / 6));
  CHECK(seen.contains(Bytes{7, 8, 11, 12}));
  const ErrorDetails error = error_of([&] { made(crop(4, "center"), shape, pixels); });
  CHECK(error.where.starts_with("transform.size"));
  CHECK(error.expected == "at most 3");
}

TEST_CASE("cutout hides a square around any pixel, in all channels") {
  const Shape shape{2, 3, 3};
  const Bytes pixels(18, 1);
  const std::map<Bytes, int> seen = counts(cutout(3, 0.5), shape, pixels);
  CHECK(seen.size() == 10);
  CHECK(plausible(seen.at(pixels), 0.5));
  CHECK(plausible(seen.at(Bytes(18, 0)), 0.5 / 9));  // around the middle
  CHECK(plausible(seen.at(Bytes{0, 0, 1, 0, 0, 1, 1, 1, 1, 0, 0, 1, 0, 0, 1, 1, 1, 1}), 0.5 / 9));
  CHECK(made(cutout(9, 1), shape, pixels) == Bytes(18, 0));
}

TEST_CASE("resize takes means where it makes a sample smaller, and its middle square") {
  const NamedTransform two = built("resize", {{"size", std::int64_t{2}}});
  Bytes pixels(2 * 4 * 6, 0);
  for (std::size_t i = 24; i < 48; ++i)
    pixels[i] = static_cast<std::uint8_t>(10 * (i % 6));  // second channel
  CHECK(made(two, {2, 4, 6}, pixels) == Bytes{0, 0, 0, 0, 17, 33, 17, 33});
  CHECK(made(built("resize", {{"size", std::int64_t{4}}}), {1, 2, 2}, {0, 100, 0, 100}) ==
        Bytes{0, 25, 75, 100, 0, 25, 75, 100, 0, 25, 75, 100, 0, 25, 75, 100});
}

TEST_CASE("random transforms draw the same for a sample of an epoch, whoever asks") {
  Bytes pixels(64);
  for (std::size_t i = 0; i < 64; ++i) pixels[i] = static_cast<std::uint8_t>(i);
  for (const NamedTransform& named :
       {shift(2, border("constant")), crop(4, "random"), cutout(2, 0.5), flip(0.5)})
    for (std::int64_t sample = 0; sample < 20; ++sample)
      CHECK(made(named, {1, 8, 8}, pixels, sample) == made(named, {1, 8, 8}, pixels, sample));
}

TEST_CASE("normalize leaves the bytes and says what they are, as torchvision's Normalize does") {
  using List = std::vector<double>;
  const auto normalize = [](List mean, List deviation) {
    return built("normalize", {{"mean", std::move(mean)}, {"deviation", std::move(deviation)}});
  };
  const SampleFormat colour{.shape = {3, 1, 2}};
  const Bytes pixels{1, 2, 3, 4, 5, 6};
  CHECK(made(normalize({0.5}, {0.5}), {3, 1, 2}, pixels) == pixels);
  const auto values = [&](List mean, List deviation) {
    return normalize(std::move(mean), std::move(deviation)).transform->output(colour).values.value();
  };
  CHECK(values({0.5}, {0.5}) == ValueRange{{-1}, {1}});
  CHECK(values({0}, {1}) == ValueRange{});
  CHECK(values({0.5, 0.25, 0}, {0.5, 0.25, 2}) == ValueRange{{-1, -1, 0}, {1, 3, 0.5}});
  CHECK(values({0.5, 0.25, 0}, {0.5}) == ValueRange{{-1, -0.5, 0}, {1, 1.5, 2}});
  const ErrorDetails error = error_of([&] { values({0, 1}, {1}); });
  CHECK(error.where.starts_with("transform.mean"));
  CHECK(error.expected == "1 or 3");
}

TEST_CASE("what follows normalize keeps the range that it gave") {
  NamedTransform normal =
      built("normalize", {{"mean", std::vector<double>{0.5}}, {"deviation", std::vector<double>{0.5}}});
  const TransformChain after({.shape = {1, 4, 4}}, chain(std::move(normal), crop(2, "center")));
  CHECK(after.output().values == ValueRange{{-1}, {1}});
  CHECK(after.output().shape == Shape{1, 2, 2});
  CHECK(!TransformChain({.shape = {1, 4, 4}}, chain(crop(2, "center"))).output().values);
}
