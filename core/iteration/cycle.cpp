// SPDX-License-Identifier: Apache-2.0
#include "iteration/cycle.hpp"

#include <algorithm>
#include <numeric>

#include "halfling/error.hpp"

namespace halfling {
namespace {

constexpr std::int64_t longest = 1 << 20;

std::int64_t length_of(const std::vector<Rhythm>& rhythms) {
  std::int64_t length = 1;
  for (const Rhythm& rhythm : rhythms) {
    length = std::lcm(length, rhythm.every);
    if (length > longest)
      throw Error({.what = "the phases run together too seldom",
                   .where = "architecture",
                   .got = "after " + std::to_string(length) + " iterations",
                   .expected = "a common multiple of all Phase::every of at most " + std::to_string(longest),
                   .hint = "let one be a multiple of the other, as 4 and 16",
                   .kind = ErrorKind::usage});
  }
  return length;
}

}  // namespace

Cycle::Cycle(const std::vector<Phase>& phases) {
  for (const Phase& phase : phases) {
    rhythms_.push_back({phase.repeat, phase.every});
    batches_ = std::max<std::int64_t>(batches_, phase.repeat);
  }
  const std::int64_t length = length_of(rhythms_);
  for (std::int64_t i = 0; i < length; ++i) {
    const std::vector<bool> running = phases_of(i);
    auto variant = std::ranges::find(variants_, running, &Variant::phases);
    if (variant == variants_.end()) variant = variants_.insert(variant, {running, 0});
    variant->share += 1 / static_cast<double>(length);
  }
}

std::vector<bool> Cycle::phases_of(std::int64_t iteration) const {
  std::vector<bool> running;
  for (const Rhythm& rhythm : rhythms_) running.push_back(rhythm.runs_in(iteration));
  return running;
}

std::size_t Cycle::variant_of(std::int64_t iteration) const {
  const auto found = std::ranges::find(variants_, phases_of(iteration), &Variant::phases);
  return static_cast<std::size_t>(found - variants_.begin());
}

}  // namespace halfling
