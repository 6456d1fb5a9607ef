// SPDX-License-Identifier: Apache-2.0
#include "input/sample_order.hpp"

#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "halfling/random.hpp"

namespace halfling {

namespace {

constexpr std::uint32_t rounds = 8;
constexpr std::uint32_t stream = stream_of("input.order");

/// Up to this size all permutations are drawn alike, where a network over so few values would favour some.
constexpr std::uint64_t tiny = 64;

std::uint64_t ceil_sqrt(std::uint64_t value) {
  auto root = static_cast<std::uint64_t>(std::sqrt(static_cast<double>(value)));
  while (root * root < value) ++root;
  return root;
}

std::uint64_t round_function(std::uint64_t half, std::uint32_t round, std::uint64_t epoch,
                             std::uint64_t seed) {
  const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
  const auto high = [](std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); };
  const PhiloxWords words =
      philox({low(half), stream + round, low(epoch), high(epoch)}, {low(seed), high(seed)});
  return (std::uint64_t{words[0]} << 32) | words[1];
}

}  // namespace

SampleOrder::SampleOrder(std::int64_t size, std::uint64_t seed, bool shuffle)
    : size_(static_cast<std::uint64_t>(size)),
      seed_(seed),
      rows_(ceil_sqrt(size_)),
      columns_((size_ + rows_ - 1) / rows_),
      shuffle_(shuffle) {}

/// Fisher and Yates' shuffle, made anew for each place asked for: less than a microsecond.
std::uint64_t SampleOrder::shuffled(std::uint64_t position, std::uint64_t epoch) const {
  std::array<std::uint8_t, tiny> order{};
  std::iota(order.begin(), order.end(), std::uint8_t{0});
  for (std::uint64_t last = size_ - 1; last > 0; --last) {
    // 64 random bits: a remainder of so small a number is uniform to 2^-58.
    const std::uint64_t word = round_function(last, rounds, epoch, seed_);
    std::swap(order[last], order[word % (last + 1)]);
  }
  return order[position];
}

std::uint64_t SampleOrder::permute(std::uint64_t value, std::uint64_t epoch) const {
  std::uint64_t row = value / columns_;
  std::uint64_t column = value % columns_;
  for (std::uint32_t round = 0; round < rounds; round += 2) {
    // A half is below 2^32, so that adding a reduced word cannot overflow.
    row = (row + round_function(column, round, epoch, seed_) % rows_) % rows_;
    column = (column + round_function(row, round + 1, epoch, seed_) % columns_) % columns_;
  }
  return row * columns_ + column;
}

std::int64_t SampleOrder::at(std::int64_t epoch, std::int64_t position) const {
  if (!shuffle_) return position;
  if (size_ <= tiny)
    return static_cast<std::int64_t>(
        shuffled(static_cast<std::uint64_t>(position), static_cast<std::uint64_t>(epoch)));
  // Walking the permutation of the larger domain until it is back below size_ permutes the smaller one.
  auto value = static_cast<std::uint64_t>(position);
  do value = permute(value, static_cast<std::uint64_t>(epoch));
  while (value >= size_);
  return static_cast<std::int64_t>(value);
}

}  // namespace halfling
