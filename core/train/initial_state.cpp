// SPDX-License-Identifier: Apache-2.0
#include "train/initial_state.hpp"

#include <cmath>
#include <cstring>

#include "halfling/random.hpp"

namespace halfling {
namespace {

class Draw {
 public:
  Draw(const State& state, std::uint64_t seed)
      : initial_(state.initial),
        stream_(stream_of(state.name)),
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

template <class T, class Convert>
std::vector<std::byte> fill(const State& state, std::uint64_t seed, Convert convert) {
  const auto count = static_cast<std::size_t>(state.shape.elements());
  std::vector<std::byte> bytes(count * sizeof(T));
  Draw draw(state, seed);
  for (std::size_t i = 0; i < count; ++i) {
    const T value = convert(draw.element(static_cast<std::uint32_t>(i)));
    std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
  }
  return bytes;
}

}  // namespace

std::vector<std::byte> initial_value(const State& state, std::uint64_t seed) {
  switch (state.dtype) {
    case DType::f64:
      return fill<double>(state, seed, [](double x) { return x; });
    case DType::f32:
    case DType::tf32:
      return fill<float>(state, seed, [](double x) { return static_cast<float>(x); });
    case DType::f16:
      return fill<std::uint16_t>(state, seed, [](double x) { return f16_bits(static_cast<float>(x)); });
    case DType::bf16:
      return fill<std::uint16_t>(state, seed, [](double x) { return bf16_bits(static_cast<float>(x)); });
    case DType::i32:
      return fill<std::int32_t>(state, seed, [](double x) { return static_cast<std::int32_t>(x); });
    case DType::u8:
    case DType::boolean:
      break;
  }
  return fill<std::uint8_t>(state, seed, [](double x) { return static_cast<std::uint8_t>(x); });
}

}  // namespace halfling
