// SPDX-License-Identifier: Apache-2.0
// Storage formats to f32 and back. A part of kernels_simd.cpp: everything is static, in the namespace of one
// instruction set.
#pragma once

#if defined(__F16C__)
#include <immintrin.h>
#endif

#include "kernels.hpp"

namespace halfling::cpu::HALFLING_SIMD {
namespace {

using Index = std::int64_t;

template <class To, class From>
[[gnu::always_inline]] inline To bits_as(From value) {
  return __builtin_bit_cast(To, value);
}

// --- the 16-bit formats
[[gnu::always_inline]] inline std::uint16_t to_bf16(float value) {
  const auto bits = bits_as<std::uint32_t>(value);
  const std::uint32_t rounded = bits + 0x7fffu + ((bits >> 16) & 1u);
  const bool nan = (bits & 0x7fffffffu) > 0x7f800000u;
  return static_cast<std::uint16_t>((nan ? bits | 0x400000u : rounded) >> 16);
}
[[gnu::always_inline]] inline float from_bf16(std::uint16_t bits) {
  return bits_as<float>(static_cast<std::uint32_t>(bits) << 16);
}

#if defined(__AVX512F__)
constexpr Index f16_lanes = 16;
inline void f16_pack(const float* from, std::uint16_t* to) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm512_cvtps_ph(_mm512_loadu_ps(from), 0));
}
inline void f16_unpack(const std::uint16_t* from, float* to) {
  _mm512_storeu_ps(to, _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from))));
}
#elif defined(__F16C__)
constexpr Index f16_lanes = 8;
inline void f16_pack(const float* from, std::uint16_t* to) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm256_cvtps_ph(_mm256_loadu_ps(from), 0));
}
inline void f16_unpack(const std::uint16_t* from, float* to) {
  _mm256_storeu_ps(to, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from))));
}
#else
constexpr Index f16_lanes = 1;
void f16_pack(const float* from, std::uint16_t* to) {
  *to = f16_bits(*from);
}
void f16_unpack(const std::uint16_t* from, float* to) {
  *to = f16_value(*from);
}
#endif

void load_f16(const std::uint16_t* from, float* to, Index n) {
  Index i = 0;
  for (; i + f16_lanes <= n; i += f16_lanes) f16_unpack(from + i, to + i);
  for (; i < n; ++i) to[i] = f16_value(from[i]);
}
void store_f16(const float* from, std::uint16_t* to, Index n) {
  Index i = 0;
  for (; i + f16_lanes <= n; i += f16_lanes) f16_pack(from + i, to + i);
  for (; i < n; ++i) to[i] = f16_bits(from[i]);
}

void load(DType type, const void* from, float* to, Index n) {
  switch (type) {
    case DType::f16:
      return load_f16(static_cast<const std::uint16_t*>(from), to, n);
    case DType::bf16: {
      const auto* p = static_cast<const std::uint16_t*>(from);
      for (Index i = 0; i < n; ++i) to[i] = from_bf16(p[i]);
      return;
    }
    case DType::u8:
    case DType::boolean: {
      const auto* p = static_cast<const std::uint8_t*>(from);
      for (Index i = 0; i < n; ++i) to[i] = static_cast<float>(p[i]);
      return;
    }
    default:
      __builtin_memcpy(to, from, static_cast<std::size_t>(n) * sizeof(float));
  }
}

void store_exact_bf16(const float* from, void* to, Index n) {
  auto* p = static_cast<std::uint16_t*>(to);
  for (Index i = 0; i < n; ++i) p[i] = static_cast<std::uint16_t>(bits_as<std::uint32_t>(from[i]) >> 16);
}

void store(DType type, const float* from, void* to, Index n) {
  switch (type) {
    case DType::f16:
      return store_f16(from, static_cast<std::uint16_t*>(to), n);
    case DType::bf16: {
      auto* p = static_cast<std::uint16_t*>(to);
      for (Index i = 0; i < n; ++i) p[i] = to_bf16(from[i]);
      return;
    }
    case DType::u8:
    case DType::boolean: {
      auto* p = static_cast<std::uint8_t*>(to);
      for (Index i = 0; i < n; ++i) p[i] = static_cast<std::uint8_t>(static_cast<int>(from[i]));
      return;
    }
    default:
      __builtin_memcpy(to, from, static_cast<std::size_t>(n) * sizeof(float));
  }
}

}  // namespace
}  // namespace halfling::cpu::HALFLING_SIMD
