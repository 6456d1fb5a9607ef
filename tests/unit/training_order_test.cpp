// SPDX-License-Identifier: Apache-2.0
#include "input/training_order.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>

#include "halfling/error.hpp"
#include "input/batch_source.hpp"
#include "scratch.hpp"

using namespace halfling;
using halfling::test::error_of;

namespace {

/// Classes of 30, 12, 12, 5 and 1 samples, mixed; a sample's one pixel is its index.
class Uneven : public Dataset {
 public:
  Uneven() {
    const int sizes[] = {30, 12, 12, 5, 1};
    for (int label = 0; label < 5; ++label) labels.insert(labels.end(), std::size_t(sizes[label]), label);
    for (std::size_t i = 0; i < labels.size(); ++i) std::swap(labels[i], labels[i * 7 % labels.size()]);
  }
  std::int64_t size() const override { return static_cast<std::int64_t>(labels.size()); }
  Shape sample_shape() const override { return {1, 1, 1}; }
  const std::vector<std::string>& classes() const override { return names; }
  std::int32_t read(std::int64_t index, std::span<std::uint8_t> pixels) const override {
    pixels[0] = static_cast<std::uint8_t>(index);
    return labels[static_cast<std::size_t>(index)];
  }
  std::vector<std::int32_t> labels;
  std::vector<std::string> names{"a", "b", "c", "d", "e"};
};

const Uneven data;

std::vector<Visit> visits(const OrderSettings& settings, int count) {
  const TrainingOrder order(data.labels, data.names, settings);
  std::vector<Visit> result;
  for (int i = 0; i < count; ++i) result.push_back(order.at(i / 48, i % 48, 48));
  return result;
}

std::vector<int> pixels(BatchSource& source, int batches) {
  std::vector<int> result;
  for (int i = 0; i < batches; ++i) {
    const Batch& batch = source.next();
    result.insert(result.end(), batch.images.begin(), batch.images.end());
  }
  return result;
}

}  // namespace

TEST_CASE("balanced, no class is ever more than one sample ahead, across epochs") {
  for (const bool shuffle : {true, false}) {
    std::vector<int> count(5);
    for (const Visit& visit : visits({3, shuffle, true}, 1000)) {
      ++count[static_cast<std::size_t>(data.labels[static_cast<std::size_t>(visit.sample)])];
      const auto [fewest, most] = std::ranges::minmax(count);
      CHECK(most - fewest <= 1);
    }
    CHECK(count == std::vector<int>(5, 200));
  }
}

TEST_CASE("balanced, no sample comes again before its class has been through, and then in another order") {
  std::map<std::int32_t, std::vector<std::int64_t>> of_class;
  std::map<std::int64_t, std::int64_t> times;
  for (const Visit& visit : visits({3, true, true}, 1000)) {
    CHECK(visit.round == times[visit.sample]++);
    of_class[data.labels[static_cast<std::size_t>(visit.sample)]].push_back(visit.sample);
  }
  for (const auto& [label, samples] : of_class) {
    const auto size = static_cast<std::size_t>(std::ranges::count(data.labels, label));
    std::set<std::vector<std::int64_t>> orders;
    for (std::size_t begin = 0; begin + size <= samples.size(); begin += size) {
      const std::vector<std::int64_t> round(samples.begin() + long(begin),
                                            samples.begin() + long(begin + size));
      CHECK(std::set(round.begin(), round.end()).size() == size);
      orders.insert(round);
    }
    if (size > 1) CHECK(orders.size() > 1);
  }
}

TEST_CASE("balanced, classes and samples come in another order for another seed; unshuffled in turn") {
  const auto samples = [](const OrderSettings& settings) {
    std::vector<std::int64_t> result;
    for (const Visit& visit : visits(settings, 100)) result.push_back(visit.sample);
    return result;
  };
  CHECK(samples({3, true, true}) == samples({3, true, true}));
  CHECK(samples({3, true, true}) != samples({4, true, true}));
  const auto plain = samples({3, false, true});
  for (std::size_t i = 0; i < plain.size(); ++i)
    CHECK(data.labels[static_cast<std::size_t>(plain[i])] == std::int32_t(i % 5));
  for (std::size_t i = 5; i < 60; i += 5) CHECK(plain[i] > plain[i - 5]);
}

TEST_CASE(
    "balanced batches are the same for any number of workers, after seeking, and for several processes") {
  const BatchSettings settings{.batch_size = 8, .seed = 5, .balance = true};
  BatchSource alone(data, settings);
  CHECK(alone.batches_per_epoch() == 7);
  const std::vector<int> expected = pixels(alone, 40);
  BatchSettings many = settings;
  many.workers = 3;
  BatchSource busy(data, many);
  CHECK(pixels(busy, 40) == expected);
  busy.seek(17);
  CHECK(pixels(busy, 23) == std::vector<int>(expected.begin() + 17 * 8, expected.end()));

  BatchSettings half = settings;
  half.batch_size = 4;
  half.world = {0, 2};
  BatchSource first(data, half);
  half.world.rank = 1;
  BatchSource second(data, half);
  std::vector<int> joined;
  for (int i = 0; i < 40; ++i)
    for (BatchSource* source : {&first, &second}) {
      const std::vector<int> part = pixels(*source, 1);
      joined.insert(joined.end(), part.begin(), part.end());
    }
  CHECK(joined == expected);
}

TEST_CASE("a class without samples cannot be balanced") {
  Uneven without;
  std::ranges::replace(without.labels, 4, 0);
  CHECK_NOTHROW(BatchSource(without, {.batch_size = 8}));
  const ErrorDetails error = error_of([&] { BatchSource(without, {.batch_size = 8, .balance = true}); });
  CHECK(error.where == "input.balance");
  CHECK(error.got == "none of 60 samples is of class \"e\"");
  CHECK(error.kind == ErrorKind::usage);
}
