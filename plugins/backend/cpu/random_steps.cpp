// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "halfling/random.hpp"
#include "step.hpp"

namespace halfling::cpu {
namespace {

PhiloxWords words_of(const std::int32_t* counter) {
  PhiloxWords words;
  for (std::size_t i = 0; i < 4; ++i) words[i] = static_cast<std::uint32_t>(counter[i]);
  return words;
}

std::int64_t place(const Draw& draw, std::int64_t logical) {
  if (draw.pixels == 0) return logical;
  const std::int64_t pixel = logical % draw.pixels, channel = logical / draw.pixels % draw.channels;
  return (logical / draw.pixels / draw.channels * draw.pixels + pixel) * draw.channels + channel;
}

/// Elements 4 block … from the four words of one Philox call.
void draw_four(const Draw& draw, const PhiloxWords& state, std::int64_t block) {
  const PhiloxWords words =
      philox({static_cast<std::uint32_t>(block), draw.stream, state[2], state[3]}, {state[0], state[1]});
  const std::int64_t count = std::min<std::int64_t>(4, draw.elements - 4 * block);
  for (std::int64_t i = 0; i < count; ++i) {
    const auto word = static_cast<std::size_t>(i), pair = word & ~std::size_t{1};
    const std::int64_t at = place(draw, 4 * block + i);
    if (draw.op == Op::random_integer)
      reinterpret_cast<std::int32_t*>(draw.to)[at] = integer_element(words[word], draw.low, draw.high);
    else
      reinterpret_cast<float*>(draw.to)[at] =
          draw.op == Op::random_normal
              ? normal_element(words[pair], words[pair + 1], (i & 1) != 0, draw.low, draw.high)
              : uniform_element(words[word], draw.low, draw.high);
  }
}

class RandomStep final : public Step {
 public:
  RandomStep(const StepContext& context, const Item& item)
      : team_(context.team), random_(random_of(context, item)) {}
  std::string implementation() const override { return "philox"; }
  void run() override {
    std::visit([this](const auto& random) { run(random); }, random_);
  }

 private:
  void run(const Draw& draw) const {
    const PhiloxWords state = words_of(draw.counter);
    team_.split((draw.elements + 3) / 4, 64, [&](Range range) {
      for (std::int64_t block = range.begin; block < range.end; ++block) draw_four(draw, state, block);
    });
  }

  void run(const Advance& advance) const {
    const PhiloxWords words = words_of(advance.from);
    const std::uint64_t next = (std::uint64_t{words[3]} << 32 | words[2]) + 1;
    advance.to[0] = advance.from[0];
    advance.to[1] = advance.from[1];
    advance.to[2] = static_cast<std::int32_t>(static_cast<std::uint32_t>(next));
    advance.to[3] = static_cast<std::int32_t>(static_cast<std::uint32_t>(next >> 32));
  }

  const Team& team_;
  Random random_;
};

}  // namespace

StepPointer make_random_step(const StepContext& context, const Item& item) {
  return std::make_unique<RandomStep>(context, item);
}

}  // namespace halfling::cpu
