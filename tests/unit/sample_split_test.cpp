// SPDX-License-Identifier: Apache-2.0
#include "input/sample_split.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "input/batch_source.hpp"
#include "input/dataset_part.hpp"
#include "scratch.hpp"

using namespace halfling;
using halfling::test::error_of;

namespace {

std::vector<std::int64_t> picked(const SampleSplit& split) {
  std::vector<std::int64_t> result;
  for (std::int64_t i = 0; i < split.picked(); ++i) result.push_back(split.picked_at(i));
  return result;
}

std::vector<std::int64_t> rest(const SampleSplit& split) {
  std::vector<std::int64_t> result;
  for (std::int64_t i = 0; i < split.rest(); ++i) result.push_back(split.rest_at(i));
  return result;
}

/// Of the samples that `split` picks, how many are of each of ten classes.
template <class ClassOf>
std::pair<std::int64_t, std::int64_t> fewest_and_most(const SampleSplit& split, ClassOf class_of) {
  std::vector<std::int64_t> counts(10);
  for (const std::int64_t i : picked(split)) ++counts[static_cast<std::size_t>(class_of(i))];
  const auto [fewest, most] = std::ranges::minmax(counts);
  return {fewest, most};
}

class Numbers : public Dataset {
 public:
  std::int64_t size() const override { return 200; }
  Shape sample_shape() const override { return {1, 1, 1}; }
  const std::vector<std::string>& classes() const override { return classes_; }
  std::int32_t read(std::int64_t index, std::span<std::uint8_t> pixels) const override {
    pixels[0] = static_cast<std::uint8_t>(index);
    return 0;
  }

 private:
  std::vector<std::string> classes_{"a"};
};

std::multiset<int> seen_in_an_epoch(const Dataset& data, std::uint64_t seed, int workers) {
  BatchSource source(data, {.batch_size = 10, .seed = seed, .workers = workers});
  std::multiset<int> seen;
  for (std::int64_t i = 0; i < source.batches_per_epoch(); ++i) {
    const Batch& batch = source.next();
    seen.insert(batch.images.begin(), batch.images.end());
  }
  return seen;
}

}  // namespace

TEST_CASE("every sample is on one side of a split, in the data set's order") {
  for (const auto& [size, count] : {std::pair{1, 1},
                                    {2, 1},
                                    {10, 1},
                                    {10, 3},
                                    {10, 7},
                                    {10, 10},
                                    {1000, 99},
                                    {1000, 500},
                                    {1000, 501},
                                    {4097, 4096}}) {
    CAPTURE(size);
    CAPTURE(count);
    const SampleSplit split(size, count);
    std::vector<std::int64_t> all = picked(split);
    const std::vector<std::int64_t> others = rest(split);
    CHECK(all.size() == static_cast<std::size_t>(count));
    CHECK(std::ranges::is_sorted(all));
    CHECK(std::ranges::is_sorted(others));
    all.insert(all.end(), others.begin(), others.end());
    std::ranges::sort(all);
    REQUIRE(all.size() == static_cast<std::size_t>(size));
    for (std::int64_t i = 0; i < size; ++i) CHECK(all[static_cast<std::size_t>(i)] == i);
  }
}

TEST_CASE("a split is balanced, whether classes follow or alternate") {
  const SampleSplit split(10000, 1000);
  const auto one_after_the_other = fewest_and_most(split, [](std::int64_t i) { return i / 1000; });
  CHECK(one_after_the_other == std::pair<std::int64_t, std::int64_t>{100, 100});
  // Runs of ten hold each class once: which one is picked is as a die falls, with a deviation of 9.5.
  const auto [fewest, most] = fewest_and_most(split, [](std::int64_t i) { return i % 10; });
  CHECK(fewest > 60);
  CHECK(most < 140);
}

TEST_CASE("what is held out is in no batch, whatever the seed and the number of workers") {
  const auto whole = std::make_shared<Numbers>();
  const SampleSplit split = holdout_split(whole->size(), 0.1);
  const DatasetPart training(whole, split, Part::training), held_out(whole, split, Part::held_out);
  CHECK(training.size() == 180);
  CHECK(held_out.size() == 20);
  std::multiset<int> expected;
  for (const std::int64_t i : rest(split)) expected.insert(static_cast<int>(i));
  for (const std::uint64_t seed : {1u, 547u})
    for (const int workers : {1, 3}) CHECK(seen_in_an_epoch(training, seed, workers) == expected);
  std::multiset<int> others = seen_in_an_epoch(held_out, 1, 1);
  CHECK(others.size() == 20);
  for (const int sample : others) CHECK_FALSE(expected.contains(sample));
}

TEST_CASE("a split with an empty side is refused") {
  const ErrorDetails none = error_of([] { holdout_split(60, 0.001); });
  CHECK(none.what == "no sample would be held out");
  CHECK(none.where == "dataset.holdout");
  CHECK(none.got == "0.001 of 60 samples");
  CHECK(none.kind == ErrorKind::usage);
  CHECK(error_of([] { holdout_split(60, 0.999); }).what == "no sample would be left to train with");
  CHECK(holdout_split(60, 0.01).picked() == 1);
}
