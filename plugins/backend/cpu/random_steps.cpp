// SPDX-License-Identifier: Apache-2.0
// Numbers of random.hpp: element i in logical order, wherever it lies in memory.
#include "halfling/random.hpp"
#include "step.hpp"

namespace halfling::cpu {
namespace {

PhiloxWords words_of(const std::int32_t* counter) {
  PhiloxWords words;
  for (std::size_t i = 0; i < 4; ++i) words[i] = static_cast<std::uint32_t>(counter[i]);
  return words;
}

class RandomStep final : public Step {
 public:
  RandomStep(const StepContext& context, const Item& item)
      : op_(context.graph.node(item.node).op),
        attributes_(std::get<RandomAttributes>(context.graph.node(item.node).attributes)),
        team_(context.team),
        counter_(context.as<std::int32_t>(item.in[0])),
        to_(context.as<float>(item.out[0])) {
    if (!is_permuted(attributes_.shape)) return;
    inner_ = attributes_.shape[2] * attributes_.shape[3];
    channels_ = attributes_.shape[1];
  }
  std::string implementation() const override { return "philox"; }

  void run() override {
    const PhiloxWords state = words_of(counter_);
    const std::int64_t elements = attributes_.shape.elements();
    team_.split((elements + 3) / 4, 64, [&](Range range) {
      for (std::int64_t block = range.begin; block < range.end; ++block)
        four(state, block, std::min<std::int64_t>(4, elements - 4 * block));
    });
  }

 private:
  /// Elements 4 block … from the four words of one Philox call.
  void four(const PhiloxWords& state, std::int64_t block, std::int64_t count) {
    const PhiloxWords words = philox(
        {static_cast<std::uint32_t>(block), attributes_.stream, state[2], state[3]}, {state[0], state[1]});
    for (std::int64_t i = 0; i < count; ++i) {
      const auto word = static_cast<std::size_t>(i), pair = word & ~std::size_t{1};
      to_[place(4 * block + i)] =
          op_ == Op::random_uniform
              ? uniform_element(words[word], attributes_.low, attributes_.high)
              : normal_element(words[pair], words[pair + 1], (i & 1) != 0, attributes_.low, attributes_.high);
    }
  }

  std::int64_t place(std::int64_t logical) const {
    if (inner_ == 0) return logical;
    const std::int64_t pixel = logical % inner_, channel = logical / inner_ % channels_;
    return (logical / inner_ / channels_ * inner_ + pixel) * channels_ + channel;
  }

  Op op_;
  RandomAttributes attributes_;
  const Team& team_;
  const std::int32_t* counter_;
  float* to_;
  std::int64_t inner_ = 0, channels_ = 0;  // of a permuted shape
};

/// The iteration is the 64-bit number in the counter's last two words.
class AdvanceStep final : public Step {
 public:
  AdvanceStep(const StepContext& context, const Item& item)
      : from_(context.as<std::int32_t>(item.in[0])), to_(context.as<std::int32_t>(item.out[0])) {}
  std::string implementation() const override { return "philox"; }

  void run() override {
    const PhiloxWords words = words_of(from_);
    const std::uint64_t next = (std::uint64_t{words[3]} << 32 | words[2]) + 1;
    to_[0] = from_[0];
    to_[1] = from_[1];
    to_[2] = static_cast<std::int32_t>(static_cast<std::uint32_t>(next));
    to_[3] = static_cast<std::int32_t>(static_cast<std::uint32_t>(next >> 32));
  }

 private:
  const std::int32_t* from_;
  std::int32_t* to_;
};

}  // namespace

StepPointer make_random_step(const StepContext& context, const Item& item) {
  if (context.graph.node(item.node).op == Op::advance_random)
    return std::make_unique<AdvanceStep>(context, item);
  return std::make_unique<RandomStep>(context, item);
}

}  // namespace halfling::cpu
