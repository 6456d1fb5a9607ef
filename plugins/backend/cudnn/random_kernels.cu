// SPDX-License-Identifier: Apache-2.0
// One thread draws the four elements that one call of Philox gives.
#include <cmath>
#include <numbers>

#include "halfling/random.hpp"
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

/// uniform_element of halfling/random.hpp.
struct Uniform {
  using Element = float;
  double low, range;
  float end, last;
  HALFLING_DEVICE void operator()(const Words& words, float* four) const {
    for (int i = 0; i < 4; ++i) {
      const auto value = static_cast<float>(sum_of_product(low, range, unit_uniform(words.at[i])));
      four[i] = value < end ? value : last;
    }
  }
};

/// Box-Muller: two words give two numbers.
struct Normal {
  using Element = float;
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

/// integer_element of halfling/random.hpp.
struct Integer {
  using Element = std::int32_t;
  std::int32_t low;
  std::uint64_t count;
  HALFLING_DEVICE void operator()(const Words& words, std::int32_t* four) const {
    for (int i = 0; i < 4; ++i) four[i] = low + static_cast<std::int32_t>(words.at[i] * count >> 32);
  }
};

template <class Distribution>
struct DrawFour {
  program::Draw draw;
  Distribution distribution;

  HALFLING_DEVICE void operator()(std::int64_t call) const {
    const auto state = [this](int i) { return static_cast<std::uint32_t>(draw.counter[i]); };
    const Words words =
        philox({{static_cast<std::uint32_t>(call), draw.stream, state(2), state(3)}}, state(0), state(1));
    using Element = typename Distribution::Element;
    Element four[4];
    distribution(words, four);
    for (int j = 0; j < 4; ++j)
      if (4 * call + j < draw.elements) reinterpret_cast<Element*>(draw.to)[place(4 * call + j)] = four[j];
  }

  HALFLING_DEVICE std::int64_t place(std::int64_t logical) const {
    if (draw.pixels == 0) return logical;
    const std::int64_t pixel = logical % draw.pixels, rest = logical / draw.pixels;
    const std::int64_t channel = rest % draw.channels, image = rest / draw.channels;
    return (image * draw.pixels + pixel) * draw.channels + channel;
  }
};

struct AdvanceCounter {
  program::Advance advance;
  HALFLING_DEVICE void operator()(std::int64_t) const {
    const std::int32_t* from = advance.from;
    std::int32_t* to = advance.to;
    const auto low = static_cast<std::uint32_t>(from[2]) + 1, high = static_cast<std::uint32_t>(from[3]);
    to[0] = from[0];
    to[1] = from[1];
    to[2] = static_cast<std::int32_t>(low);
    to[3] = static_cast<std::int32_t>(low == 0 ? high + 1 : high);
  }
};

}  // namespace

void launch_random(cudaStream_t stream, const program::Draw& draw) {
  const std::int64_t calls = (draw.elements + 3) / 4;
  const double low = draw.low, high = draw.high;
  if (draw.op == Op::random_integer) {
    const Integer integer{static_cast<std::int32_t>(low), static_cast<std::uint64_t>(high - low)};
    return launch_elements(stream, calls, DrawFour<Integer>{draw, integer});
  }
  if (draw.op == Op::random_normal)
    return launch_elements(stream, calls, DrawFour<Normal>{draw, {low, high}});
  const Uniform uniform{low, high - low, static_cast<float>(high), last_uniform(low, high)};
  launch_elements(stream, calls, DrawFour<Uniform>{draw, uniform});
}

void launch_random(cudaStream_t stream, const program::Advance& advance) {
  launch_elements(stream, 1, AdvanceCounter{advance});
}

}  // namespace halfling::cudnn
