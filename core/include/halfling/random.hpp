// SPDX-License-Identifier: Apache-2.0
// Counter-based random numbers: Philox4x32-10 (Salmon et al., SC 2011, with the constants of Random123).
//
// A counter state is i32 [4], read as unsigned words {seed low, seed high, iteration low, iteration high}.
// Element i of a node with stream s takes word i % 4 of philox(key = {seed low, seed high},
// counter = {i / 4, s, iteration low, iteration high}). So the numbers depend on nothing but seed, iteration,
// stream and index, on every backend and for any number of threads.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string_view>

namespace halfling {

using PhiloxWords = std::array<std::uint32_t, 4>;

inline PhiloxWords philox(PhiloxWords counter, std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53u} * counter[0];
    const std::uint64_t b = std::uint64_t{0xCD9E8D57u} * counter[2];
    counter = {static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(b),
               static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(a)};
    key[0] += 0x9E3779B9u;
    key[1] += 0xBB67AE85u;
  }
  return counter;
}

/// The word of element `index` of stream `stream`, for a counter state read as unsigned words.
inline std::uint32_t random_word(const PhiloxWords& state, std::uint32_t stream, std::uint32_t index) {
  return philox({index / 4, stream, state[2], state[3]}, {state[0], state[1]})[index % 4];
}

/// In [0, 1), a multiple of 2^-24.
inline double unit_uniform(std::uint32_t word) {
  return (word >> 8) * 0x1p-24;
}

/// The last f32 of [float(low), float(high)).
inline float last_uniform(double low, double high) {
  return std::nextafter(static_cast<float>(high), static_cast<float>(low));
}

/// random_uniform's element: float(low + (high - low) u), computed in double; where that rounds up to high,
/// the last number before it.
inline float uniform_element(std::uint32_t word, double low, double high) {
  const auto value = static_cast<float>(low + (high - low) * unit_uniform(word));
  return low < high && !(value < static_cast<float>(high)) ? last_uniform(low, high) : value;
}

/// random_integer's element, in [low, high): the high half of word x (high - low), so each as likely to
/// 2^-32.
inline std::int32_t integer_element(std::uint32_t word, double low, double high) {
  const auto count = static_cast<std::uint64_t>(high - low);
  return static_cast<std::int32_t>(low) + static_cast<std::int32_t>(word * count >> 32);
}

/// random_normal's element i: Box-Muller in double on words 2j and 2j+1 of the stream's pair j = i / 2.
inline float normal_element(std::uint32_t first, std::uint32_t second, bool odd, double mean,
                            double deviation) {
  const double radius = std::sqrt(-2 * std::log(1 - unit_uniform(first)));
  const double angle = 2 * std::numbers::pi * unit_uniform(second);
  return static_cast<float>(mean + deviation * radius * (odd ? std::sin(angle) : std::cos(angle)));
}

/// A stream for a name (FNV-1a), so that what is drawn does not depend on the order of declarations.
constexpr std::uint32_t stream_of(std::string_view name) {
  std::uint32_t hash = 2166136261u;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return hash;
}

}  // namespace halfling
