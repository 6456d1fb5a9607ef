// SPDX-License-Identifier: Apache-2.0
#include "input/class_samples.hpp"

#include <doctest/doctest.h>

#include <map>
#include <numeric>
#include <set>

#include "input/batch_source.hpp"
#include "transforms.hpp"

using namespace halfling;
using namespace halfling::test;

namespace {

/// 60 gray 4x4 images, each pixel different; classes of 40, 19, 1 and, where there is a fourth one, 0
/// samples.
class Uneven : public Dataset {
 public:
  explicit Uneven(bool fourth = true) {
    if (!fourth) classes_.pop_back();
  }
  std::int64_t size() const override { return 60; }
  Shape sample_shape() const override { return {1, 4, 4}; }
  const std::vector<std::string>& classes() const override { return classes_; }
  std::int32_t read(std::int64_t index, std::span<std::uint8_t> pixels) const override {
    std::iota(pixels.begin(), pixels.end(), static_cast<std::uint8_t>(2 * index));
    return index % 3 != 0 ? 0 : index == 30 ? 2 : 1;
  }

 private:
  std::vector<std::string> classes_{"many", "some", "one", "none"};
};

/// The samples of each class in the order in which training sees them.
std::map<int, std::vector<Bytes>> trained(const Dataset& dataset, OrderSettings order) {
  BatchSource source(dataset, {10, order.seed, order.shuffle, order.balance}, chain(flip(0.5), corner(3)));
  std::map<int, std::vector<Bytes>> seen;
  for (int batch = 0; batch < 6; ++batch) {
    const Batch& read = source.next();
    for (std::size_t i = 0; i < read.labels.size(); ++i) {
      const auto image = read.images.subspan(9 * i, 9);
      seen[read.labels[i]].emplace_back(image.begin(), image.end());
    }
  }
  return seen;
}

}  // namespace

TEST_CASE("the samples shown of a class are the first that training sees, transformed") {
  const Uneven dataset;
  const TransformChain transforms({.shape = dataset.sample_shape()}, chain(flip(0.5), corner(3)));
  for (const bool shuffle : {true, false}) {
    const ClassSamples got = class_samples(dataset, transforms, {7, shuffle}, 5);
    CHECK(got.counts == std::vector<std::int64_t>{40, 19, 1, 0});
    REQUIRE(got.images.size() == 4 * 5 * 9);
    auto seen = trained(dataset, {7, shuffle});
    for (int label = 0; label < 4; ++label) {
      seen[label].resize(5, Bytes(9, 255));  // white where there are no more
      for (int column = 0; column < 5; ++column) {
        const auto* begin = got.images.data() + 9 * (5 * label + column);
        CHECK(Bytes(begin, begin + 9) == seen[label][static_cast<std::size_t>(column)]);
      }
    }
  }
  CHECK(class_samples(dataset, transforms, {7}, 0).images.empty());
}

TEST_CASE("balanced, the counts are the data set's and the samples shown what training sees first") {
  const Uneven dataset(false);
  const TransformChain transforms({.shape = dataset.sample_shape()}, chain(flip(0.5), corner(3)));
  const ClassSamples got = class_samples(dataset, transforms, {7, true, true}, 5);
  CHECK(got.counts == std::vector<std::int64_t>{40, 19, 1});
  auto seen = trained(dataset, {7, true, true});
  for (int label = 0; label < 3; ++label) {
    CHECK(seen[label].size() == 20);
    if (label == 2) seen[label].assign(1, seen[label].front());
    seen[label].resize(5, Bytes(9, 255));
    for (int column = 0; column < 5; ++column) {
      const auto* begin = got.images.data() + 9 * (5 * label + column);
      CHECK(Bytes(begin, begin + 9) == seen[label][static_cast<std::size_t>(column)]);
    }
  }
}

TEST_CASE("balanced, transforms draw anew whenever a sample comes") {
  const auto seen = trained(Uneven(false), {7, true, true});
  const auto& only = seen.at(2);  // its one sample, 20 times
  REQUIRE(only.size() == 20);
  CHECK(std::set(only.begin(), only.end()).size() == 2);  // flipped and not
}
