// SPDX-License-Identifier: Apache-2.0
#include "halfling/random.hpp"

#include "kernel.hpp"

namespace halfling::reference {
namespace {

PhiloxWords words(const Tensor& counter) {
  PhiloxWords state;
  for (std::size_t i = 0; i < state.size(); ++i)
    state[i] = static_cast<std::uint32_t>(static_cast<std::int32_t>(counter.elements[i]));
  return state;
}

}  // namespace

void random_uniform(const Call& call) {
  const auto& random = call.attributes<RandomAttributes>();
  const PhiloxWords state = words(call.in(0));
  for (std::uint32_t i = 0; i < call.out().elements.size(); ++i)
    call.set(i, uniform_element(random_word(state, random.stream, i), random.low, random.high));
}

void random_normal(const Call& call) {
  const auto& random = call.attributes<RandomAttributes>();
  const PhiloxWords state = words(call.in(0));
  for (std::uint32_t i = 0; i < call.out().elements.size(); ++i) {
    const std::uint32_t first = i - i % 2;
    call.set(
        i, normal_element(random_word(state, random.stream, first),
                          random_word(state, random.stream, first + 1), i % 2 == 1, random.low, random.high));
  }
}

void random_integer(const Call& call) {
  const auto& random = call.attributes<RandomAttributes>();
  const PhiloxWords state = words(call.in(0));
  for (std::uint32_t i = 0; i < call.out().elements.size(); ++i)
    call.set(i, integer_element(random_word(state, random.stream, i), random.low, random.high));
}

void advance_random(const Call& call) {
  PhiloxWords state = words(call.in(0));
  if (++state[2] == 0) ++state[3];
  for (std::size_t i = 0; i < state.size(); ++i)
    call.out().elements[i] = static_cast<double>(static_cast<std::int32_t>(state[i]));
}

}  // namespace halfling::reference
