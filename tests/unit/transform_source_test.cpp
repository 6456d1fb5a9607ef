// SPDX-License-Identifier: Apache-2.0
// Transforms between data set and batch: the same pixels, whoever reads a sample and whenever.
#include <doctest/doctest.h>

#include <cmath>
#include <map>

#include "input/batch_source.hpp"
#include "scratch.hpp"
#include "transforms.hpp"

using namespace halfling;
using namespace halfling::test;

namespace {

/// Sample i has the pixels 6i … 6i + 5.
class Numbers : public Dataset {
 public:
  std::int64_t size() const override { return 40; }
  Shape sample_shape() const override { return {1, 2, 3}; }
  const std::vector<std::string>& classes() const override { return classes_; }
  std::int32_t read(std::int64_t index, std::span<std::uint8_t> pixels) const override {
    for (std::size_t i = 0; i < pixels.size(); ++i)
      pixels[i] = static_cast<std::uint8_t>(6 * static_cast<std::size_t>(index) + i);
    return static_cast<std::int32_t>(index % 2);
  }

 private:
  std::vector<std::string> classes_{"a", "b"};
};

std::vector<Bytes> batches(BatchSource& source, int count) {
  std::vector<Bytes> result;
  for (int i = 0; i < count; ++i) {
    const Batch& batch = source.next();
    result.emplace_back(batch.images.begin(), batch.images.end());
  }
  return result;
}

/// By epoch and sample: whether it was mirrored.
using Mirrored = std::map<std::pair<std::int64_t, int>, bool>;

Mirrored mirrored(BatchSource& source, int count) {
  Mirrored result;
  for (int i = 0; i < count; ++i) {
    const Batch& batch = source.next();
    for (std::size_t at = 0; at < batch.images.size(); at += 6) {
      const std::uint8_t first = batch.images[at], third = batch.images[at + 2];
      CHECK(first / 6 == third / 6);
      CHECK(std::abs(first - third) == 2);
      result[{batch.epoch, first / 6}] = first > third;
    }
  }
  return result;
}

}  // namespace

TEST_CASE("about half of the samples are mirrored, others in each epoch and by each transform") {
  const Numbers numbers;
  BatchSource source(numbers, {.batch_size = 8, .seed = 5}, chain(flip(0.5)));
  BatchSource other(numbers, {.batch_size = 8, .seed = 5}, chain(flip(0.5, "another")));
  const Mirrored first = mirrored(source, 250), second = mirrored(other, 250);
  REQUIRE(first.size() == 2000);
  int count = 0, same_as_before = 0, same_as_other = 0;
  for (const auto& [which, turned] : first) {
    count += turned;
    if (which.first > 0) same_as_before += turned == first.at({which.first - 1, which.second});
    same_as_other += turned == second.at(which);
  }
  for (const int half : {count, same_as_before, same_as_other}) CHECK(std::abs(half - 1000) < 125);
}

TEST_CASE("two transforms of a chain draw each for itself") {
  const Numbers numbers;
  BatchSource twice(numbers, {.batch_size = 8, .seed = 5}, chain(flip(0.5), flip(0.5, "again")));
  BatchSource once(numbers, {.batch_size = 8, .seed = 5}, chain(flip(0.5)));
  BatchSource again(numbers, {.batch_size = 8, .seed = 5}, chain(flip(0.5, "again")));
  const Mirrored both = mirrored(twice, 50), a = mirrored(once, 50), b = mirrored(again, 50);
  REQUIRE(both.size() == 400);
  for (const auto& [which, turned] : both) CHECK(turned == (a.at(which) != b.at(which)));
}

TEST_CASE("batches are the same for any number of workers, for any prefetch and after a seek") {
  const Numbers numbers;
  const auto transforms = [] { return chain(flip(0.5), corner(2), flip(0.3, "again")); };
  const auto expected = [&] {
    BatchSource plain(numbers, {.batch_size = 8, .seed = 5, .prefetch = 1, .workers = 1}, transforms());
    CHECK(plain.sample_shape() == Shape{1, 2, 2});
    return batches(plain, 40);
  }();
  CHECK(expected[0].size() == 8 * 4);
  for (const int prefetch : {1, 6}) {
    BatchSource four(numbers, {.batch_size = 8, .seed = 5, .prefetch = prefetch, .workers = 4}, transforms());
    CHECK(batches(four, 40) == expected);
    for (const int index : {17, 3, 29, 0}) {
      four.seek(index);
      CHECK(batches(four, 1)[0] == expected[static_cast<std::size_t>(index)]);
    }
  }
  BatchSource seeded(numbers, {.batch_size = 8, .seed = 6, .shuffle = false}, transforms());
  BatchSource unseeded(numbers, {.batch_size = 8, .seed = 5, .shuffle = false}, transforms());
  CHECK(batches(seeded, 5) != batches(unseeded, 5));
}

TEST_CASE("an error of a transform comes out of next()") {
  class Broken : public Corner {
   public:
    using Corner::Corner;
    void apply(const SampleFormat&, std::span<const std::byte>, std::span<std::byte>,
               SampleRandom&) const override {
      throw Error({.what = "the corner is missing"});
    }
  };
  const Numbers numbers;
  BatchSource source(numbers, {.batch_size = 8},
                     chain(NamedTransform{"broken", std::make_unique<Broken>(1)}));
  for (int i = 0; i < 2; ++i) CHECK(error_of([&] { source.next(); }).what == "the corner is missing");
}
