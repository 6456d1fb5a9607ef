// SPDX-License-Identifier: Apache-2.0
#include "iteration/noise.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>
#include <utility>

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

namespace {

/// Standardised, the angle between two vectors; 0 where one has no length.
double angle_between(const Noise& noise, std::span<const float> a, std::span<const float> b) {
  double ab = 0, aa = 0, bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double x = (a[i] - noise.low) / noise.high, y = (b[i] - noise.low) / noise.high;
    ab += x * y, aa += x * x, bb += y * y;
  }
  return aa > 0 && bb > 0 ? std::acos(std::clamp(ab / std::sqrt(aa * bb), -1.0, 1.0)) : 0;
}

/// How much of the first and of the second there is at a place of the way.
std::pair<double, double> weights_at(double place, double angle) {
  if (std::sin(angle) < 1e-6) return {1 - place, place};
  return {std::sin((1 - place) * angle) / std::sin(angle), std::sin(place * angle) / std::sin(angle)};
}

std::vector<float> first_sample(const Noise& noise, const Shape& shape, std::int64_t classes,
                                std::uint64_t seed) {
  const std::vector<std::byte> bytes = fixed_noise(noise, shape, classes, seed);
  std::vector<float> values(static_cast<std::size_t>(shape.elements() / shape[0]));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(float));
  return values;
}

}  // namespace

std::vector<std::byte> interpolated_noise(const Noise& noise, const Shape& shape, std::int64_t classes,
                                          std::uint64_t seed, std::int64_t steps) {
  // Labels, four bytes each as well, are moved as they are.
  const std::vector<float> from = first_sample(noise, shape, classes, seed),
                           to = first_sample(noise, shape, classes, seed + 1);
  const bool normal = noise.kind == Noise::Kind::normal;
  const double angle = normal ? angle_between(noise, from, to) : 0, mean = normal ? noise.low : 0;
  std::vector<float> all;
  for (std::int64_t i = 0; i < shape[0]; ++i) {
    const double place = static_cast<double>(i % steps) / static_cast<double>(steps - 1);
    const auto [a, b] = weights_at(place, angle);
    for (std::size_t j = 0; j < from.size(); ++j)
      all.push_back(noise.kind == Noise::Kind::classes
                        ? from[j]
                        : static_cast<float>(mean + a * (from[j] - mean) + b * (to[j] - mean)));
  }
  const auto bytes = std::as_bytes(std::span(all));
  return {bytes.begin(), bytes.end()};
}

}  // namespace halfling
