// SPDX-License-Identifier: Apache-2.0
// Squares of 4x4 words or 8x8 halves are transposed in registers: SSE2, which every x86-64 has.
#include "transpose.hpp"

#include <emmintrin.h>

namespace halfling::cpu {
namespace {

using Index = std::int64_t;

void square(const std::uint32_t* from, std::uint32_t* to, Index stride, Index columns) {
  __m128 r[4];
  for (Index i = 0; i < 4; ++i) r[i] = _mm_loadu_ps(reinterpret_cast<const float*>(from + i * columns));
  _MM_TRANSPOSE4_PS(r[0], r[1], r[2], r[3]);
  for (Index i = 0; i < 4; ++i) _mm_storeu_ps(reinterpret_cast<float*>(to + i * stride), r[i]);
}

void square(const std::uint16_t* from, std::uint16_t* to, Index stride, Index columns) {
  __m128i a[8], b[8];
  for (Index i = 0; i < 8; ++i) a[i] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i * columns));
  for (Index i = 0; i < 4; ++i) {
    b[2 * i] = _mm_unpacklo_epi16(a[2 * i], a[2 * i + 1]);
    b[2 * i + 1] = _mm_unpackhi_epi16(a[2 * i], a[2 * i + 1]);
  }
  for (Index i = 0; i < 8; i += 4)
    for (Index j = 0; j < 2; ++j) {
      a[i + 2 * j] = _mm_unpacklo_epi32(b[i + j], b[i + j + 2]);
      a[i + 2 * j + 1] = _mm_unpackhi_epi32(b[i + j], b[i + j + 2]);
    }
  for (Index i = 0; i < 4; ++i) {
    b[2 * i] = _mm_unpacklo_epi64(a[i], a[i + 4]);
    b[2 * i + 1] = _mm_unpackhi_epi64(a[i], a[i + 4]);
  }
  for (Index i = 0; i < 8; ++i) _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i * stride), b[i]);
}

void square(const std::uint8_t* from, std::uint8_t* to, Index, Index) {
  *to = *from;
}

template <class T, Index side>
void transpose(const std::byte* bytes, std::byte* result, Index rows, Index columns, Index stride) {
  const T* from = reinterpret_cast<const T*>(bytes);
  T* to = reinterpret_cast<T*>(result);
  const Index whole_rows = rows / side * side, whole_columns = columns / side * side;
  for (Index c = 0; c < whole_columns; c += side)
    for (Index r = 0; r < whole_rows; r += side)
      square(from + r * columns + c, to + c * stride + r, stride, columns);
  for (Index c = 0; c < columns; ++c)
    for (Index r = c < whole_columns ? whole_rows : 0; r < rows; ++r)
      to[c * stride + r] = from[r * columns + c];
}

}  // namespace

void transpose(std::size_t element, const std::byte* from, std::byte* to, std::int64_t rows,
               std::int64_t columns, std::int64_t stride) {
  if (element == 4)
    transpose<std::uint32_t, 4>(from, to, rows, columns, stride);
  else if (element == 2)
    transpose<std::uint16_t, 8>(from, to, rows, columns, stride);
  else
    transpose<std::uint8_t, 1>(from, to, rows, columns, stride);
}

}  // namespace halfling::cpu
