// SPDX-License-Identifier: Apache-2.0
#include "iteration/noise.hpp"

#include <span>

#include "halfling/random.hpp"

namespace halfling {
namespace {

double high_of(const Noise& noise, std::int64_t classes) {
  return noise.kind == Noise::Kind::classes ? static_cast<double>(classes) : noise.high;
}

double low_of(const Noise& noise) {
  return noise.kind == Noise::Kind::classes ? 0 : noise.low;
}

Op op_of(Noise::Kind kind) {
  if (kind == Noise::Kind::classes) return Op::random_integer;
  return kind == Noise::Kind::normal ? Op::random_normal : Op::random_uniform;
}

template <class T, class Element>
std::vector<std::byte> fill(const Shape& shape, Element element) {
  std::vector<T> values(static_cast<std::size_t>(shape.elements()));
  for (std::uint32_t i = 0; i < values.size(); ++i) values[i] = element(i);
  const auto bytes = std::as_bytes(std::span(values));
  return {bytes.begin(), bytes.end()};
}

}  // namespace

Value draw_noise(Graph& graph, ValueId counter, const Noise& noise, std::string_view stream,
                 const Shape& shape, std::int64_t classes) {
  const RandomAttributes attributes{shape, low_of(noise), high_of(noise, classes), stream_of(stream)};
  return {&graph, graph.append_value(op_of(noise.kind), {counter}, attributes)};
}

std::vector<std::byte> fixed_noise(const Noise& noise, const Shape& shape, std::int64_t classes,
                                   std::uint64_t seed) {
  const PhiloxWords state{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32), 0, 0};
  const auto word = [&](std::uint32_t i) { return random_word(state, stream_of(noise.name), i); };
  const double low = low_of(noise), high = high_of(noise, classes);
  if (noise.kind == Noise::Kind::classes)
    return fill<std::int32_t>(shape, [&](std::uint32_t i) { return integer_element(word(i), low, high); });
  if (noise.kind == Noise::Kind::uniform)
    return fill<float>(shape, [&](std::uint32_t i) { return uniform_element(word(i), low, high); });
  return fill<float>(shape, [&](std::uint32_t i) {
    const std::uint32_t pair = i / 2 * 2;
    return normal_element(word(pair), word(pair + 1), i % 2 == 1, low, high);
  });
}

}  // namespace halfling
