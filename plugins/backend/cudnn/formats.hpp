// SPDX-License-Identifier: Apache-2.0
// Storage formats in kernels: to f32, exactly, and back, to the nearest value with ties to even.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "halfling/dtype.hpp"
#include "launch.hpp"

namespace halfling::cudnn {

HALFLING_DEVICE inline float to_f32(float value) {
  return value;
}
HALFLING_DEVICE inline float to_f32(__half value) {
  return __half2float(value);
}
HALFLING_DEVICE inline float to_f32(__nv_bfloat16 value) {
  return __bfloat162float(value);
}

HALFLING_DEVICE inline void round_into(float value, float& result) {
  result = value;
}
HALFLING_DEVICE inline void round_into(float value, __half& result) {
  result = __float2half_rn(value);
}
HALFLING_DEVICE inline void round_into(float value, __nv_bfloat16& result) {
  result = __float2bfloat16_rn(value);
}

/// Element i of memory in format f32, f16 or bf16.
HALFLING_DEVICE inline float load(DType type, const void* from, std::int64_t i) {
  switch (type) {
    case DType::f16:
      return to_f32(static_cast<const __half*>(from)[i]);
    case DType::bf16:
      return to_f32(static_cast<const __nv_bfloat16*>(from)[i]);
    default:
      return static_cast<const float*>(from)[i];
  }
}
HALFLING_DEVICE inline void store(DType type, float value, void* to, std::int64_t i) {
  switch (type) {
    case DType::f16:
      return round_into(value, static_cast<__half*>(to)[i]);
    case DType::bf16:
      return round_into(value, static_cast<__nv_bfloat16*>(to)[i]);
    default:
      static_cast<float*>(to)[i] = value;
  }
}

/// Neighbours that are read and written at once; their memory is aligned to all four.
template <class T>
struct alignas(4 * sizeof(T)) Four {
  T at[4];
};

template <class T>
HALFLING_DEVICE Four<float> load_four(const void* from, std::int64_t i) {
  const Four<T> four = *reinterpret_cast<const Four<T>*>(static_cast<const T*>(from) + i);
  Four<float> result;
  for (int j = 0; j < 4; ++j) result.at[j] = to_f32(four.at[j]);
  return result;
}
template <class T>
HALFLING_DEVICE void store_four(const Four<float>& values, void* to, std::int64_t i) {
  Four<T> four;
  for (int j = 0; j < 4; ++j) round_into(values.at[j], four.at[j]);
  auto* memory = reinterpret_cast<Four<T>*>(static_cast<T*>(to) + i);
#if defined(__CUDA_ARCH__)  // the compiler makes four stores of a plain assignment
  using Bits = std::conditional_t<sizeof(T) == 2, uint2, uint4>;
  __stwb(reinterpret_cast<Bits*>(memory), __builtin_bit_cast(Bits, four));
#else
  *memory = four;
#endif
}

/// Elements i to i + 3.
HALFLING_DEVICE inline Four<float> load_four(DType type, const void* from, std::int64_t i) {
  switch (type) {
    case DType::f16:
      return load_four<__half>(from, i);
    case DType::bf16:
      return load_four<__nv_bfloat16>(from, i);
    default:
      return load_four<float>(from, i);
  }
}
HALFLING_DEVICE inline void store_four(DType type, const Four<float>& values, void* to, std::int64_t i) {
  switch (type) {
    case DType::f16:
      return store_four<__half>(values, to, i);
    case DType::bf16:
      return store_four<__nv_bfloat16>(values, to, i);
    default:
      return store_four<float>(values, to, i);
  }
}

}  // namespace halfling::cudnn
