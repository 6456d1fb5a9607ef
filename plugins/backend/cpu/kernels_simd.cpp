// SPDX-License-Identifier: Apache-2.0
// Compiled once for each instruction set, into the namespace HALFLING_SIMD. Everything here is static and no
// inline function of another header is called, so that no code for a newer processor can stand in for code
// that must run everywhere.
#include <cmath>

#include "kernels.hpp"
#include "kernels_formats.hpp"

namespace halfling::cpu::HALFLING_SIMD {
namespace {

using Arguments = const TileArguments&;

// --- functions of one number
[[gnu::always_inline]] inline float power_of_two(std::int32_t n) {
  return bits_as<float>(static_cast<std::uint32_t>(n + 127) << 23);
}

/// e^x within 1 ulp: x = n ln2 + r, a polynomial of degree 6 in r (Cephes, expf), 2^n in two factors.
[[gnu::always_inline]] inline float exp_of(float x) {
  const float t =
      x * 1.44269504088896341f + 12582912.f;  // 1.5 * 2^23: the integer part stands in the low bits
  const float n = t - 12582912.f;
  const float r = (x - n * 0.693359375f) - n * -2.12194440e-4f;
  float y = 1.9875691500e-4f;
  y = y * r + 1.3981999507e-3f;
  y = y * r + 8.3334519073e-3f;
  y = y * r + 4.1665795894e-2f;
  y = y * r + 1.6666665459e-1f;
  y = y * r + 5.0000001201e-1f;
  y = y * r * r + r + 1.f;
  const auto power = static_cast<std::int32_t>(bits_as<std::uint32_t>(t) - 0x4b400000u);
  const std::int32_t half = power >> 1, rest = power - half;
  const float scaled = y * power_of_two(half) * power_of_two(rest);
  const float finite = x < -104.f ? 0.f : scaled;
  return x > 88.7228394f ? bits_as<float>(0x7f800000) : finite;
}

[[gnu::always_inline]] inline float sigmoid_of(float x) {
  return 1.f / (1.f + exp_of(-x));
}

float softplus_of(float x) {
  return (x > 0 ? x : 0.f) + std::log1p(std::exp(x > 0 ? -x : x));
}

float sigmoid_cross_entropy_of(float x, float target, float rest) {
  const float slope = x > 0 ? rest : -target;         // of max(x, 0) - x target
  const float linear = slope == 0 ? 0.f : slope * x;  // not 0 * infinity
  return linear + std::log1p(std::exp(x > 0 ? -x : x));
}

/// A value that every half format rounds as it would round x: from 2^24 on, where f32 does not hold each
/// whole number, the last digits only tell on which side of a half format's midpoints x lies.
[[gnu::always_inline]] inline float narrowable(std::int32_t x) {
  const bool is_large = static_cast<std::uint32_t>(x) + 0x1000000u > 0x2000000u;
  const std::int32_t told = (x & ~0xff) | ((x & 0xff) != 0 ? 0x80 : 0);
  return static_cast<float>(is_large ? told : x);
}

[[gnu::always_inline]] inline float moving_average_of(float running, float batch, float momentum,
                                                      float gain) {
  const bool finite = (bits_as<std::uint32_t>(batch) & 0x7f800000u) != 0x7f800000u;
  return finite ? (1.f - momentum) * running + gain * batch : running;
}

// --- tile instructions
template <class F>
[[gnu::always_inline]] inline void each(Arguments v, F f) {
#pragma GCC ivdep
  for (Index i = 0; i < v.n; ++i) v.to[i] = f(i);
}

void copy(Arguments v) {
  if (v.to != v.a) __builtin_memcpy(v.to, v.a, static_cast<std::size_t>(v.n) * sizeof(float));
}
void add(Arguments v) {
  each(v, [&](Index i) { return v.a[i] + v.b[i]; });
}
void subtract(Arguments v) {
  each(v, [&](Index i) { return v.a[i] - v.b[i]; });
}
void multiply(Arguments v) {
  each(v, [&](Index i) { return v.a[i] * v.b[i]; });
}
void divide(Arguments v) {
  each(v, [&](Index i) { return v.a[i] / v.b[i]; });
}
void minimum(Arguments v) {
  each(v, [&](Index i) { return v.b[i] < v.a[i] || v.b[i] != v.b[i] ? v.b[i] : v.a[i]; });
}
void maximum(Arguments v) {
  each(v, [&](Index i) { return v.a[i] < v.b[i] || v.b[i] != v.b[i] ? v.b[i] : v.a[i]; });
}
void affine(Arguments v) {
  const float scale = v.p[0], shift = v.p[1];
  each(v, [&](Index i) { return scale * v.a[i] + shift; });
}
void leaky_relu(Arguments v) {
  const float slope = v.p[0];
  if (slope == 0) return each(v, [&](Index i) { return v.a[i] <= 0 ? 0 : v.a[i]; });
  each(v, [&](Index i) { return v.a[i] > 0 ? v.a[i] : slope * v.a[i]; });
}
void leaky_relu_gradient(Arguments v) {
  const float slope = v.p[0];
  if (slope == 0) return each(v, [&](Index i) { return v.a[i] <= 0 ? 0 : v.b[i]; });
  each(v, [&](Index i) { return v.a[i] > 0 ? v.b[i] : slope * v.b[i]; });
}
void sigmoid(Arguments v) {
  each(v, [&](Index i) { return sigmoid_of(v.a[i]); });
}
void softplus(Arguments v) {
  each(v, [&](Index i) { return softplus_of(v.a[i]); });
}
void tanh(Arguments v) {
  each(v, [&](Index i) { return std::tanh(v.a[i]); });
}
void exp(Arguments v) {
  each(v, [&](Index i) { return exp_of(v.a[i]); });
}
void log(Arguments v) {
  each(v, [&](Index i) { return std::log(v.a[i]); });
}
void sqrt(Arguments v) {
  each(v, [&](Index i) { return std::sqrt(v.a[i]); });
}
void less(Arguments v) {
  each(v, [&](Index i) { return v.a[i] < v.b[i] ? 1.f : 0.f; });
}
void select(Arguments v) {
#pragma GCC ivdep
  for (Index i = 0; i < v.n; ++i) {
    const auto yes = bits_as<std::uint32_t>(v.b[i]), no = bits_as<std::uint32_t>(v.c[i]);
    v.to[i] = bits_as<float>(v.a[i] != 0 ? yes : no);
  }
}
void sigmoid_cross_entropy(Arguments v) {
  each(v, [&](Index i) { return sigmoid_cross_entropy_of(v.a[i], v.p[0], v.p[1]); });
}
void moving_average(Arguments v) {
  each(v, [&](Index i) { return moving_average_of(v.a[i], v.b[i], v.p[0], v.p[1]); });
}
void count(Arguments v) {
  for (Index i = 0; i < v.n; ++i)
    v.to[i] = bits_as<float>(bits_as<std::int32_t>(v.a[i]) + (v.b[i] != 0 ? 0 : 1));
}
void from_i32(Arguments v) {
  if (v.p[0] != 0) return each(v, [&](Index i) { return narrowable(bits_as<std::int32_t>(v.a[i])); });
  each(v, [&](Index i) { return static_cast<float>(bits_as<std::int32_t>(v.a[i])); });
}
void round_f16(Arguments v) {
  Index i = 0;
  std::uint16_t half[f16_lanes];
  for (; i + f16_lanes <= v.n; i += f16_lanes) {
    f16_pack(v.a + i, half);
    f16_unpack(half, v.to + i);
  }
  for (; i < v.n; ++i) v.to[i] = f16_value(f16_bits(v.a[i]));
}
void round_bf16(Arguments v) {
  each(v, [&](Index i) { return from_bf16(to_bf16(v.a[i])); });
}

// --- reductions: lanes and rows are added in a fixed order
constexpr Index lanes = 4;  // partial sums of every fourth row: shorter chains, smaller errors

/// sums[c] += f(x[r, c]) over r, for `width` columns from c on.
template <Index width, class F>
[[gnu::always_inline]] inline void add_columns(const float* x, Index rows, Index columns, Index c,
                                               float* sums, F f) {
  float part[lanes][width] = {};
  for (Index r = 0; r < rows; ++r)
    for (Index i = 0; i < width; ++i) part[r % lanes][i] += f(x[r * columns + c + i], c + i);
  for (Index i = 0; i < width; ++i) sums[c + i] += (part[0][i] + part[1][i]) + (part[2][i] + part[3][i]);
}

void column_sums(const float* x, Index rows, Index columns, float* sums) {
  const auto value = [](float v, Index) { return v; };
  if (rows == 1) {
    for (Index i = 0; i < columns; ++i) sums[i] += x[i];
    return;
  }
  Index c = 0;
  for (; c + 32 <= columns; c += 32) add_columns<32>(x, rows, columns, c, sums, value);
  for (; c < columns; ++c) add_columns<1>(x, rows, columns, c, sums, value);
}

/// For `width` columns from c on; sums over rows stay in registers.
template <Index width>
[[gnu::always_inline]] inline void add_moments(const float* x, Index rows, Index columns, Index c,
                                               const float* shift, double* first, double* second) {
  double one[width] = {}, two[width] = {};
  for (Index r = 0; r < rows; ++r)
    for (Index i = 0; i < width; ++i) {
      const double d = static_cast<double>(x[r * columns + c + i]) - static_cast<double>(shift[c + i]);
      one[i] += d;
      two[i] += d * d;
    }
  for (Index i = 0; i < width; ++i) first[c + i] += one[i], second[c + i] += two[i];
}

void column_moments(const float* x, Index rows, Index columns, const float* shift, double* first,
                    double* second) {
  if (rows == 1) {
#pragma GCC ivdep
    for (Index i = 0; i < columns; ++i) {
      const double d = static_cast<double>(x[i]) - static_cast<double>(shift[i]);
      first[i] += d;
      second[i] += d * d;
    }
    return;
  }
  Index c = 0;
  for (; c + 32 <= columns; c += 32) add_moments<32>(x, rows, columns, c, shift, first, second);
  for (; c + 8 <= columns; c += 8) add_moments<8>(x, rows, columns, c, shift, first, second);
  for (; c < columns; ++c) add_moments<1>(x, rows, columns, c, shift, first, second);
}

double sum(const float* x, Index n) {
  constexpr Index width = 64;
  float part[width] = {};
  Index i = 0;
  for (; i + width <= n; i += width)
    for (Index l = 0; l < width; ++l) part[l] += x[i + l];
  double total = 0;
  for (Index l = 0; l < width; ++l) total += part[l];
  for (; i < n; ++i) total += x[i];
  return total;
}

template <class T>
bool exponent_full(const T* x, Index n, T mask) {
  constexpr Index chunk = 4096;
  for (Index i = 0; i < n; i += chunk) {
    const Index end = i + chunk < n ? i + chunk : n;
    T found = 0;
    for (Index j = i; j < end; ++j) found |= static_cast<T>((x[j] & mask) == mask);
    if (found) return true;
  }
  return false;
}

bool any_nonfinite(DType type, const void* x, Index n) {
  if (type == DType::f16)
    return exponent_full<std::uint16_t>(static_cast<const std::uint16_t*>(x), n, 0x7c00);
  if (type == DType::bf16)
    return exponent_full<std::uint16_t>(static_cast<const std::uint16_t*>(x), n, 0x7f80);
  return exponent_full<std::uint32_t>(static_cast<const std::uint32_t*>(x), n, 0x7f800000u);
}

void adam(const AdamArguments& v, Index begin, Index end) {
  constexpr Index tile = 1024;
  alignas(64) float buffer[tile];
  const std::size_t size = v.gradient_type == DType::f32 ? 4 : 2;
  for (Index at = begin; at < end; at += tile) {
    const Index n = at + tile < end ? tile : end - at;
    const auto* gradient = reinterpret_cast<const float*>(static_cast<const char*>(v.gradient) +
                                                          static_cast<std::size_t>(at) * size);
    if (size == 2) {
      load(v.gradient_type, gradient, buffer, n);
      gradient = buffer;
    }
    float *p = v.parameter + at, *m = v.mean + at, *s = v.variance + at;
#pragma GCC ivdep
    for (Index i = 0; i < n; ++i) {
      const float g = v.scale * gradient[i];
      m[i] = v.beta1 * m[i] + v.rest1 * g;
      s[i] = v.beta2 * s[i] + v.rest2 * g * g;
      p[i] -= v.rate * m[i] / (std::sqrt(s[i]) * v.correction + v.epsilon);
    }
    if (v.half != nullptr) store(v.half_type, p, static_cast<std::uint16_t*>(v.half) + at, n);
  }
}

// --- the table
struct Row {
  TileOp op;
  void (*run)(Arguments);
};
constexpr Row rows[] = {
    {TileOp::copy, copy},
    {TileOp::add, add},
    {TileOp::subtract, subtract},
    {TileOp::multiply, multiply},
    {TileOp::divide, divide},
    {TileOp::minimum, minimum},
    {TileOp::maximum, maximum},
    {TileOp::affine, affine},
    {TileOp::leaky_relu, leaky_relu},
    {TileOp::leaky_relu_gradient, leaky_relu_gradient},
    {TileOp::sigmoid, sigmoid},
    {TileOp::softplus, softplus},
    {TileOp::tanh, tanh},
    {TileOp::exp, exp},
    {TileOp::log, log},
    {TileOp::sqrt, sqrt},
    {TileOp::less, less},
    {TileOp::select, select},
    {TileOp::sigmoid_cross_entropy, sigmoid_cross_entropy},
    {TileOp::moving_average, moving_average},
    {TileOp::count, count},
    {TileOp::from_i32, from_i32},
    {TileOp::round_f16, round_f16},
    {TileOp::round_bf16, round_bf16},
};

#define HALFLING_TEXT_(x) #x
#define HALFLING_TEXT(x) HALFLING_TEXT_(x)

constexpr Kernels make_table() {
  Kernels kernels{HALFLING_TEXT(HALFLING_SIMD),
                  {},
                  load,
                  store,
                  store_exact_bf16,
                  column_sums,
                  column_moments,
                  sum,
                  any_nonfinite,
                  adam};
  for (const Row& row : rows) kernels.tile[static_cast<int>(row.op)] = row.run;
  return kernels;
}

// Counts rows: under -fsanitize=undefined, g++ takes no comparison of a function's address for a constant.
static_assert(
    [] {
      std::array<int, tile_op_count> rows_of{};
      for (const Row& row : rows) ++rows_of[static_cast<std::size_t>(row.op)];
      for (const int count : rows_of)
        if (count != 1) return false;
      return true;
    }(),
    "one row per instruction");

}  // namespace

extern const Kernels table;
constinit const Kernels table = make_table();

}  // namespace halfling::cpu::HALFLING_SIMD
