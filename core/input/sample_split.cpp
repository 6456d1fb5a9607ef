// SPDX-License-Identifier: Apache-2.0
#include "input/sample_split.hpp"

#include "halfling/random.hpp"

namespace halfling {
namespace {

constexpr PhiloxWords words_of(std::int64_t run) {
  const auto bits = static_cast<std::uint64_t>(run);
  return {static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(bits >> 32), 0, 0};
}

}  // namespace

SampleSplit::SampleSplit(std::int64_t size, std::int64_t picked)
    : size_(size), runs_(picked), length_(size / picked), longer_(size % picked) {}

std::int64_t SampleSplit::picked_at(std::int64_t i) const {
  const PhiloxWords words = philox(words_of(i), {stream_of("input.split"), 0});
  const std::uint64_t word = (std::uint64_t{words[0]} << 32) | words[1];
  const auto length = static_cast<std::uint64_t>(begin_of(i + 1) - begin_of(i));
  return begin_of(i) + static_cast<std::int64_t>(word % length);
}

std::int64_t SampleSplit::rest_at(std::int64_t i) const {
  const std::int64_t in_longer = longer_ * length_;  // of the rest, what lies in the longer runs
  const std::int64_t run = i < in_longer ? i / length_ : longer_ + (i - in_longer) / (length_ - 1);
  const std::int64_t index = i + run;  // one sample of each run before is not of the rest
  return index < picked_at(run) ? index : index + 1;
}

}  // namespace halfling
