// SPDX-License-Identifier: Apache-2.0
// What a transform draws.
#pragma once

#include <array>
#include <cstdint>

#include "halfling/random.hpp"

namespace halfling {

/// Random numbers of one transform for one sample in one epoch: the same whoever reads the sample, and
/// whenever.
///
/// Word i is word i % 4 of philox(key, counter = {i / 4, 0, sample low, sample high}), where key is the first
/// two words of philox(key = {seed low, seed high}, counter = {stream, 0, epoch low, epoch high}).
class SampleRandom {
 public:
  /// `stream` tells the transforms of a chain apart: stream_of("transform." + its name).
  SampleRandom(std::uint64_t seed, std::uint32_t stream, std::int64_t epoch, std::int64_t sample)
      : sample_(words_of(sample)) {
    const auto [seed_low, seed_high] = words_of(static_cast<std::int64_t>(seed));
    const auto [epoch_low, epoch_high] = words_of(epoch);
    const PhiloxWords mixed = philox({stream, 0, epoch_low, epoch_high}, {seed_low, seed_high});
    key_ = {mixed[0], mixed[1]};
  }

  std::uint32_t word() {
    if (drawn_ % 4 == 0) block_ = philox({drawn_ / 4, 0, sample_[0], sample_[1]}, key_);
    return block_[drawn_++ % 4];
  }
  /// In [0, 1), a multiple of 2^-24.
  double uniform() { return unit_uniform(word()); }
  /// From low to high, both included; low <= high. Uniform to 2^-32.
  std::int64_t integer(std::int64_t low, std::int64_t high) {
    const std::uint64_t draw = (std::uint64_t{word()} << 32) | word();
    const auto count = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + (count == 0 ? draw : draw % count));
  }

 private:
  using Pair = std::array<std::uint32_t, 2>;
  static Pair words_of(std::int64_t value) {
    const auto bits = static_cast<std::uint64_t>(value);
    return {static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(bits >> 32)};
  }

  Pair key_, sample_;
  PhiloxWords block_{};
  std::uint32_t drawn_ = 0;
};

}  // namespace halfling
