// SPDX-License-Identifier: Apache-2.0
#include "iteration/initial_state.hpp"

#include <cmath>
#include <cstring>

#include "halfling/random.hpp"
#include "iteration/average.hpp"

namespace halfling {
namespace {

class Draw {
 public:
  Draw(const State& state, std::uint64_t seed)
      : initial_(state.initial),
        stream_(stream_of(state.role == StateRole::average ? averaged_state(state.name) : state.name)),
        counter_{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32), 0, 0} {}

  double element(std::uint32_t index) {
    switch (initial_.kind) {
      case Initial::Kind::normal:
        return normal(index);
      case Initial::Kind::truncated_normal:
        return truncated(index);
      case Initial::Kind::uniform:
        return uniform_element(word(index), -initial_.value, initial_.value);
      case Initial::Kind::random_counter:
        return static_cast<std::int32_t>(counter_[index]);
      case Initial::Kind::constant:
        break;
    }
    return initial_.value;
  }

 private:
  std::uint32_t word(std::uint32_t index) const { return random_word(counter_, stream_, index); }
  double normal(std::uint32_t index) const {
    return normal_element(word(index / 2 * 2), word(index / 2 * 2 + 1), index % 2 == 1, 0, initial_.value);
  }
  /// Drawn again where it lies beyond two standard deviations; the counter's third word counts the attempts.
  double truncated(std::uint32_t index) {
    double value = normal(index);
    for (counter_[2] = 1; std::abs(value) > 2 * initial_.value; ++counter_[2]) value = normal(index);
    counter_[2] = 0;
    return value;
  }

  const Initial& initial_;
  std::uint32_t stream_;
  PhiloxWords counter_;
};

}  // namespace

std::vector<std::byte> initial_value(const State& state, std::uint64_t seed) {
  const auto count = static_cast<std::size_t>(state.shape.elements());
  std::vector<std::byte> bytes(count * size_of(state.dtype));
  Draw draw(state, seed);
  with_storage(state.dtype, [&]<class Storage>(Storage) {
    for (std::size_t i = 0; i < count; ++i) {
      const auto element = Storage::element(draw.element(static_cast<std::uint32_t>(i)));
      std::memcpy(bytes.data() + i * sizeof element, &element, sizeof element);
    }
  });
  return bytes;
}

}  // namespace halfling
