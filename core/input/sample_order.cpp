// SPDX-License-Identifier: Apache-2.0
#include "input/sample_order.hpp"

#include <cmath>

#include "halfling/random.hpp"

namespace halfling {

namespace {

constexpr std::uint32_t rounds = 8;
constexpr std::uint32_t stream = stream_of("input.order");

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
  // Walking the permutation of the larger domain until it is back below size_ permutes the smaller one.
  auto value = static_cast<std::uint64_t>(position);
  do value = permute(value, static_cast<std::uint64_t>(epoch));
  while (value >= size_);
  return static_cast<std::int64_t>(value);
}

}  // namespace halfling
