// SPDX-License-Identifier: Apache-2.0
// Eight neighbouring elements in registers: loaded and stored by as few instructions as can be. An i32
// travels as its bits, a byte as its value. Only *.cu files include this.
#pragma once

#include "formats.hpp"
#include "tile_kernels.hpp"

namespace halfling::cudnn {

struct Values {
  float at[chunk];
};

template <class F>
HALFLING_DEVICE inline Values each(F f) {
  Values result;
  for (int i = 0; i < chunk; ++i) result.at[i] = f(i);
  return result;
}

HALFLING_DEVICE inline bool is_byte(DType dtype) {
  return dtype == DType::u8 || dtype == DType::boolean;
}
HALFLING_DEVICE inline std::int64_t bytes_of(DType dtype) {
  return is_byte(dtype) ? 1 : dtype == DType::f16 || dtype == DType::bf16 ? 2 : 4;
}

/// Element i of memory in any format but f64.
HALFLING_DEVICE inline float load_one(DType dtype, const std::byte* from, std::int64_t i) {
  return is_byte(dtype) ? static_cast<float>(from[i]) : load(dtype, from, i);
}
HALFLING_DEVICE inline void store_one(DType dtype, float value, std::byte* to, std::int64_t i) {
  if (is_byte(dtype))
    to[i] = static_cast<std::byte>(static_cast<int>(value));
  else
    store(dtype, value, to, i);
}

template <class T>
HALFLING_DEVICE inline float round_to(float value) {
  T rounded;
  round_into(value, rounded);
  return to_f32(rounded);
}

/// Whether eight elements at this address can move at once.
HALFLING_DEVICE inline bool is_aligned(DType dtype, const std::byte* address) {
  return reinterpret_cast<std::uintptr_t>(address) % (is_byte(dtype) ? 8 : 16) == 0;
}

// The compiler makes wide moves of copies that it knows to be aligned.
template <class T>
HALFLING_DEVICE inline Values load_halves(const std::byte* from) {
  std::uint16_t bits[chunk];
  __builtin_memcpy(bits, __builtin_assume_aligned(from, 16), sizeof bits);
  return each([&](int i) { return to_f32(__builtin_bit_cast(T, bits[i])); });
}
template <class T>
HALFLING_DEVICE inline void store_halves(const Values& values, std::byte* to) {
  std::uint16_t bits[chunk];
  for (int i = 0; i < chunk; ++i) {
    T half;
    round_into(values.at[i], half);
    bits[i] = __builtin_bit_cast(std::uint16_t, half);
  }
  __builtin_memcpy(__builtin_assume_aligned(to, 16), bits, sizeof bits);
}

/// From an aligned address.
HALFLING_DEVICE inline Values load_chunk(DType dtype, const std::byte* from) {
  if (dtype == DType::f16) return load_halves<__half>(from);
  if (dtype == DType::bf16) return load_halves<__nv_bfloat16>(from);
  if (is_byte(dtype)) {
    std::uint8_t bytes[chunk];
    __builtin_memcpy(bytes, __builtin_assume_aligned(from, 8), sizeof bytes);
    return each([&](int i) { return static_cast<float>(bytes[i]); });
  }
  Values values;
  __builtin_memcpy(values.at, __builtin_assume_aligned(from, 16), sizeof values.at);
  return values;
}

/// To an aligned address. Rounds once; too large becomes infinity.
HALFLING_DEVICE inline void store_chunk(DType dtype, const Values& values, std::byte* to) {
  if (dtype == DType::f16) return store_halves<__half>(values, to);
  if (dtype == DType::bf16) return store_halves<__nv_bfloat16>(values, to);
  if (is_byte(dtype)) {
    std::uint8_t bytes[chunk];
    for (int i = 0; i < chunk; ++i) bytes[i] = static_cast<std::uint8_t>(static_cast<int>(values.at[i]));
    __builtin_memcpy(__builtin_assume_aligned(to, 8), bytes, sizeof bytes);
  } else {
    __builtin_memcpy(__builtin_assume_aligned(to, 16), values.at, sizeof values.at);
  }
}

}  // namespace halfling::cudnn
