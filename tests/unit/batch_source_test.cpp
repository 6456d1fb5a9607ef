// SPDX-License-Identifier: Apache-2.0
#include "input/batch_source.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>

#include "scratch.hpp"

using namespace halfling;
using halfling::test::error_of;

namespace {

/// Sample i is filled with bytes that tell i.
class Numbers : public Dataset {
 public:
  explicit Numbers(std::int64_t size) : size_(size) {}
  std::int64_t size() const override { return size_; }
  Shape sample_shape() const override { return {1, 2, 3}; }
  const std::vector<std::string>& classes() const override { return classes_; }
  std::int32_t read(std::int64_t index, std::span<std::uint8_t> pixels) const override {
    if (index == broken) throw Error({.what = "sample is broken", .where = "file.bin"});
    std::fill(pixels.begin(), pixels.end(), static_cast<std::uint8_t>(index));
    reads.fetch_add(1);
    return static_cast<std::int32_t>(index % 3);
  }
  std::int64_t broken = -1;
  mutable std::atomic<int> reads = 0;

 private:
  std::int64_t size_;
  std::vector<std::string> classes_{"a", "b", "c"};
};

std::vector<int> samples(const Batch& batch) {
  std::vector<int> result;
  for (std::size_t i = 0; i < batch.labels.size(); ++i) {
    const auto pixels = batch.images.subspan(6 * i, 6);
    CHECK(std::count(pixels.begin(), pixels.end(), pixels[0]) == 6);
    CHECK(batch.labels[i] == pixels[0] % 3);
    result.push_back(pixels[0]);
  }
  return result;
}

std::vector<std::vector<int>> take(BatchSource& source, int count) {
  std::vector<std::vector<int>> result;
  for (int i = 0; i < count; ++i) result.push_back(samples(source.next()));
  return result;
}

}  // namespace

TEST_CASE("batches are the same for any number of workers and any prefetch") {
  const Numbers numbers(50);
  const auto expected = [&] {
    BatchSource plain(numbers, {.batch_size = 8, .seed = 5, .prefetch = 1, .workers = 1});
    return take(plain, 40);
  }();
  for (const int workers : {1, 2, 5}) {
    for (const int prefetch : {1, 3, 16}) {
      BatchSource source(numbers, {.batch_size = 8, .seed = 5, .prefetch = prefetch, .workers = workers});
      CHECK(take(source, 40) == expected);
    }
  }
}

TEST_CASE("an epoch visits samples once and drops the last part of a batch") {
  const Numbers numbers(50);
  BatchSource source(numbers, {.batch_size = 8, .seed = 5});
  REQUIRE(source.batches_per_epoch() == 6);
  for (std::int64_t epoch = 0; epoch < 3; ++epoch) {
    std::set<int> seen;
    for (std::int64_t i = 0; i < 6; ++i) {
      const Batch& batch = source.next();
      CHECK(batch.epoch == epoch);
      CHECK(batch.index == 6 * epoch + i);
      for (const int sample : samples(batch)) seen.insert(sample);
    }
    CHECK(seen.size() == 48);
  }
}

TEST_CASE("a batch may be the whole data set, unshuffled") {
  const Numbers numbers(4);
  BatchSource source(numbers, {.batch_size = 4, .shuffle = false});
  for (int i = 0; i < 3; ++i) CHECK(samples(source.next()) == std::vector{0, 1, 2, 3});
}

TEST_CASE("seek continues exactly, forwards and backwards") {
  const Numbers numbers(50);
  const BatchSettings settings{.batch_size = 8, .seed = 5, .workers = 2};
  BatchSource whole(numbers, settings);
  const auto expected = take(whole, 30);
  BatchSource resumed(numbers, settings);
  for (const int index : {17, 3, 29, 0}) {
    resumed.seek(index);
    const Batch& batch = resumed.next();
    CHECK(batch.index == index);
    CHECK(samples(batch) == expected[std::size_t(index)]);
  }
}

TEST_CASE("no more than prefetch batches are read ahead") {
  const Numbers numbers(50);
  BatchSource source(numbers, {.batch_size = 10, .prefetch = 2, .workers = 2});
  take(source, 1);
  take(source, 4);
  CHECK(numbers.reads <= 10 * (5 + 2));
}

TEST_CASE("a reader's error comes out of next(), again and again, and not before its batch") {
  Numbers numbers(30);
  numbers.broken = 17;
  BatchSource source(numbers, {.batch_size = 10, .shuffle = false, .prefetch = 4});
  CHECK(samples(source.next())[9] == 9);
  for (int i = 0; i < 2; ++i) {
    const ErrorDetails error = error_of([&] { source.next(); });
    CHECK(error.what == "sample is broken");
    CHECK(error.where == "file.bin");
  }
  source.seek(2);
  CHECK(samples(source.next())[0] == 20);
}

TEST_CASE("a batch larger than the data set is the user's error, and names both numbers") {
  const Numbers numbers(30);
  const ErrorDetails error = error_of([&] { BatchSource(numbers, {.batch_size = 31}); });
  CHECK(error.kind == ErrorKind::usage);
  CHECK(error.got == "31 samples a batch");
  CHECK(error.expected == "at most 30, the data set's size");
  CHECK(error_of([&] { BatchSource(numbers, {.batch_size = 0}); }).where == "input.batch_size");
  CHECK(error_of([&] { BatchSource(numbers, {.prefetch = 0}); }).where == "input.prefetch");
  CHECK(error_of([&] { BatchSource(numbers, {.workers = 0}); }).where == "input.workers");
}

namespace {

/// A data set that gives nothing until its gate opens.
class Gated : public Numbers {
 public:
  using Numbers::Numbers;
  std::int32_t read(std::int64_t index, std::span<std::uint8_t> pixels) const override {
    std::unique_lock lock(mutex_);
    opened_.wait(lock, [this] { return open_; });
    return Numbers::read(index, pixels);
  }
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    opened_.notify_all();
  }

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable opened_;
  bool open_ = false;
};

}  // namespace

TEST_CASE("waiting is counted") {
  Gated gated(8);
  BatchSource source(gated, {.batch_size = 8});
  std::thread opener([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    gated.open();
  });
  source.next();
  opener.join();
  CHECK(source.waits().calls == 1);
  CHECK(source.waits().waits == 1);
  CHECK(source.waits().seconds > 0);
}

TEST_CASE("a source that nobody reads ends at once") {
  Numbers numbers(200);
  for (int i = 0; i < 20; ++i) BatchSource(numbers, {.batch_size = 100, .prefetch = 8, .workers = 2});
  CHECK(numbers.reads <= 20 * 9 * 100);
}
