// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "dataset_test.hpp"

using namespace halfling;
using namespace halfling::test;

namespace {

std::unique_ptr<Dataset> open(std::int64_t side, std::int64_t channels, std::int64_t classes,
                              std::int64_t seed = 0, std::int64_t samples = 1000) {
  Options options;
  options.set("samples", samples);
  options.set("size", side);
  options.set("channels", channels);
  options.set("classes", classes);
  options.set("seed", seed);
  return make_dataset("synthetic", options);
}

/// Moves a picture so that its centre of mass is the middle and its size is the same: what a template needs.
std::vector<double> normalised(const std::vector<std::uint8_t>& pixels, int side) {
  double mass = 0, x = 0, y = 0, spread = 0;
  const auto at = [&](int row, int column) {
    const bool inside = row >= 0 && column >= 0 && row < side && column < side;
    return inside ? double(pixels[std::size_t(row * side + column)]) : 0.0;
  };
  for (int i = 0; i < side * side; ++i) {
    mass += at(i / side, i % side);
    x += at(i / side, i % side) * (i % side);
    y += at(i / side, i % side) * (i / side);
  }
  x /= mass;
  y /= mass;
  for (int i = 0; i < side * side; ++i) {
    spread += at(i / side, i % side) * (std::abs(i % side - x) + std::abs(i / side - y)) / mass;
  }
  std::vector<double> result;
  for (int row = -12; row < 12; ++row) {
    for (int column = -12; column < 12; ++column) {
      result.push_back(at(int(std::lround(y + row * spread / 8)), int(std::lround(x + column * spread / 8))) /
                       mass * spread * spread);
    }
  }
  return result;
}

}  // namespace

TEST_CASE("synthetic figures are the same for the same seed, and vary") {
  const auto a = open(28, 1, 10), b = open(28, 1, 10), other = open(28, 1, 10, 1);
  std::set<std::vector<std::uint8_t>> distinct;
  for (int i = 0; i < 200; ++i) {
    CHECK(sample(*a, i).pixels == sample(*b, i).pixels);
    CHECK(sample(*a, i).pixels != sample(*other, i).pixels);
    CHECK(sample(*a, i).label == i % 10);
    distinct.insert(sample(*a, i).pixels);
  }
  CHECK(distinct.size() == 200);
}

TEST_CASE("synthetic figures come in every size, gray or coloured, and stay inside") {
  for (const int side : {8, 28, 64}) {
    for (const int channels : {1, 3}) {
      const auto dataset = open(side, channels, 4);
      REQUIRE(dataset->sample_shape() == Shape{channels, side, side});
      CHECK(dataset->classes() == std::vector<std::string>{"circle", "square", "triangle", "cross"});
      for (int i = 0; i < 40; ++i) {
        const Sample got = sample(*dataset, i);
        CHECK(*std::max_element(got.pixels.begin(), got.pixels.end()) >= (side == 8 ? 90 : 170));
        for (int c = 0; c < channels; ++c) {
          for (int p = 0; p < side && side > 8; ++p) {  // 8 pixels leave no margin
            CHECK(got.pixels[std::size_t(c * side * side + p)] == 0);
            CHECK(got.pixels[std::size_t(c * side * side + p * side)] == 0);
          }
        }
      }
    }
  }
}

TEST_CASE("synthetic figures can be told apart") {
  // The nearest mean of 50 samples, normalised for place and size, finds the class of nearly all others.
  const auto dataset = open(28, 1, 10);
  std::vector<std::vector<double>> mean(10, std::vector<double>(576));
  for (int i = 0; i < 500; ++i) {
    const Sample s = sample(*dataset, i);
    const auto picture = normalised(s.pixels, 28);
    for (std::size_t p = 0; p < 576; ++p) mean[std::size_t(s.label)][p] += picture[p] / 50;
  }
  int right = 0;
  for (int i = 500; i < 1000; ++i) {
    const Sample s = sample(*dataset, i);
    const auto picture = normalised(s.pixels, 28);
    std::vector<double> distance(10);
    for (std::size_t c = 0; c < 10; ++c) {
      for (std::size_t p = 0; p < 576; ++p)
        distance[c] += (picture[p] - mean[c][p]) * (picture[p] - mean[c][p]);
    }
    right += std::min_element(distance.begin(), distance.end()) - distance.begin() == s.label;
  }
  CHECK(right >= 475);
}

TEST_CASE("synthetic refuses two channels") {
  const ErrorDetails error = error_of([] { open(28, 2, 10); });
  CHECK(error.kind == ErrorKind::usage);
  CHECK(error.expected == "1 or 3");
}

TEST_CASE("a synthetic class has at least one sample") {
  CHECK(open(8, 1, 10, 0, 10)->size() == 10);
  const ErrorDetails error = error_of([] { open(8, 1, 10, 0, 9); });
  CHECK(error.what == "a class has no sample");
  CHECK(error.got == "9 samples of 10 classes");
}
