// SPDX-License-Identifier: Apache-2.0
// Number formats, and the exact rounding between them.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "halfling/export.hpp"

namespace halfling {

enum class DType : std::uint8_t {
  f64,
  f32,
  tf32,  ///< a format to compute in, never to store in: float32 with a 10-bit fraction
  f16,
  bf16,
  i32,
  u8,
  boolean,  ///< one byte, 0 or 1
};
/// The formats to compute in; they come first.
inline constexpr DType floating_formats[] = {DType::f64, DType::f32, DType::tf32, DType::f16, DType::bf16};

constexpr bool is_float(DType type) {
  return type <= DType::bf16;
}
constexpr bool is_half(DType type) {
  return type == DType::f16 || type == DType::bf16;
}

/// "f32", "bf16", …: the names used in messages, metrics and experiment files.
HALFLING_API std::string_view name_of(DType type);

/// Rounds to the nearest value of a floating format, ties to even, with its subnormals; too large becomes
/// infinity (IEEE 754-2019, 4.3.1). f64 returns the value itself. Exact: there is no double rounding.
HALFLING_API double round_to(DType type, double value);

// float32 <-> the 16-bit formats, as bits; the same rounding as round_to; any NaN gives a quiet NaN.
HALFLING_API std::uint16_t f16_bits(float value);
HALFLING_API float f16_value(std::uint16_t bits);

inline std::uint16_t bf16_bits(float value) {
  auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<std::uint16_t>((bits >> 16) | 0x40u);
  bits += 0x7fffu + ((bits >> 16) & 1u);
  return static_cast<std::uint16_t>(bits >> 16);
}
inline float bf16_value(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

// What an element of a format is in memory, and as a number: a double holds each of them exactly. `element`
// rounds a number once.
namespace storage {
template <class T>
struct Plain {
  using Element = T;
  static double value(T element) { return static_cast<double>(element); }
  static T element(double value) { return static_cast<T>(value); }
};
struct F16 {
  using Element = std::uint16_t;
  static double value(Element bits) { return f16_value(bits); }
  static Element element(double value) { return f16_bits(static_cast<float>(round_to(DType::f16, value))); }
};
struct Bf16 {
  using Element = std::uint16_t;
  static double value(Element bits) { return bf16_value(bits); }
  static Element element(double value) { return bf16_bits(static_cast<float>(round_to(DType::bf16, value))); }
};
}  // namespace storage

/// What visit(storage) returns for the storage of a format: the one list of them.
template <class Visit>
constexpr decltype(auto) with_storage(DType type, Visit&& visit) {
  switch (type) {
    case DType::f64:
      return visit(storage::Plain<double>{});
    case DType::f32:
    case DType::tf32:
      return visit(storage::Plain<float>{});
    case DType::f16:
      return visit(storage::F16{});
    case DType::bf16:
      return visit(storage::Bf16{});
    case DType::i32:
      return visit(storage::Plain<std::int32_t>{});
    case DType::u8:
    case DType::boolean:
      break;
  }
  return visit(storage::Plain<std::uint8_t>{});
}

/// Bytes of one stored element (tf32 counts as its storage, 4).
constexpr std::size_t size_of(DType type) {
  return with_storage(type, []<class Storage>(Storage) { return sizeof(typename Storage::Element); });
}

}  // namespace halfling
