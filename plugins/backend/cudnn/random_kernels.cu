// SPDX-License-Identifier: Apache-2.0
// One thread draws the four elements that one call of Philox gives.
#include <cmath>
#include <numbers>

#include "launch.hpp"
#include "random_kernels.hpp"

namespace halfling::cudnn {
namespace {

struct Words {
  std::uint32_t at[4];
};

HALFLING_DEVICE Words philox(Words counter, std::uint32_t key0, std::uint32_t key1) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53u} * counter.at[0];
    const std::uint64_t b = std::uint64_t{0xCD9E8D57u} * counter.at[2];
    counter = {{static_cast<std::uint32_t>(b >> 32) ^ counter.at[1] ^ key0, static_cast<std::uint32_t>(b),
                static_cast<std::uint32_t>(a >> 32) ^ counter.at[3] ^ key1, static_cast<std::uint32_t>(a)}};
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  return counter;
}

/// a + b c with two roundings, as on the host: the compiler would make it one.
HALFLING_DEVICE double sum_of_product(double a, double b, double c) {
#if defined(__CUDA_ARCH__)
  return __dadd_rn(a, __dmul_rn(b, c));
#else
  return a + b * c;
#endif
}

/// In [0, 1), a multiple of 2^-24.
HALFLING_DEVICE double unit_uniform(std::uint32_t word) {
  return (word >> 8) * 0x1p-24;
}

struct Uniform {
  double low, range;
  HALFLING_DEVICE void operator()(const Words& words, float* four) const {
    for (int i = 0; i < 4; ++i)
      four[i] = static_cast<float>(sum_of_product(low, range, unit_uniform(words.at[i])));
  }
};

/// Box-Muller: two words give two numbers.
struct Normal {
  double mean, deviation;
  HALFLING_DEVICE void operator()(const Words& words, float* four) const {
    for (int i = 0; i < 4; i += 2) {
      const double radius = deviation * std::sqrt(-2 * std::log(1 - unit_uniform(words.at[i])));
      const double angle = 2 * std::numbers::pi * unit_uniform(words.at[i + 1]);
      four[i] = static_cast<float>(sum_of_product(mean, radius, std::cos(angle)));
      four[i + 1] = static_cast<float>(sum_of_product(mean, radius, std::sin(angle)));
    }
  }
};

template <class Distribution>
struct Draw {
  RandomOutput output;
  Distribution distribution;

  HALFLING_DEVICE void operator()(std::int64_t call) const {
    const auto state = [this](int i) { return static_cast<std::uint32_t>(output.counter[i]); };
    const Words words =
        philox({{static_cast<std::uint32_t>(call), output.stream, state(2), state(3)}}, state(0), state(1));
    float four[4];
    distribution(words, four);
    for (int j = 0; j < 4; ++j)
      if (4 * call + j < output.elements) output.to[place(4 * call + j)] = four[j];
  }

  HALFLING_DEVICE std::int64_t place(std::int64_t logical) const {
    if (output.pixels == 0) return logical;
    const std::int64_t pixel = logical % output.pixels, rest = logical / output.pixels;
    const std::int64_t channel = rest % output.channels, image = rest / output.channels;
    return (image * output.pixels + pixel) * output.channels + channel;
  }
};

/// The iteration is the 64-bit number in the last two words.
struct Advance {
  const std::int32_t* from;
  std::int32_t* to;
  HALFLING_DEVICE void operator()(std::int64_t) const {
    const auto low = static_cast<std::uint32_t>(from[2]) + 1, high = static_cast<std::uint32_t>(from[3]);
    to[0] = from[0];
    to[1] = from[1];
    to[2] = static_cast<std::int32_t>(low);
    to[3] = static_cast<std::int32_t>(low == 0 ? high + 1 : high);
  }
};

}  // namespace

void launch_random_uniform(cudaStream_t stream, const RandomOutput& output, double low, double high) {
  launch_elements(stream, (output.elements + 3) / 4, Draw<Uniform>{output, {low, high - low}});
}

void launch_random_normal(cudaStream_t stream, const RandomOutput& output, double mean, double deviation) {
  launch_elements(stream, (output.elements + 3) / 4, Draw<Normal>{output, {mean, deviation}});
}

void launch_advance_random(cudaStream_t stream, const std::int32_t* from, std::int32_t* to) {
  launch_elements(stream, 1, Advance{from, to});
}

}  // namespace halfling::cudnn
