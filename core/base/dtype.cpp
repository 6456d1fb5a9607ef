// SPDX-License-Identifier: Apache-2.0
#include "halfling/dtype.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "halfling/device.hpp"

namespace halfling {
namespace {

// A binary format: bits of the significand with the hidden one, and exponents of its smallest and largest
// normal numbers.
struct Format {
  int precision;
  int smallest;
  int largest;
};

double round_to(Format format, double value) {
  if (!std::isfinite(value) || value == 0) return value;
  // The spacing of the format around the value is a power of two, so scaling by it is exact and the one
  // rounding is that of nearbyint.
  const int exponent = std::max(std::ilogb(value), format.smallest);
  const int spacing = exponent - (format.precision - 1);
  const double rounded = std::scalbn(std::nearbyint(std::scalbn(value, -spacing)), spacing);
  const double limit = std::scalbn(1.0, format.largest + 1);
  return std::abs(rounded) < limit ? rounded : std::copysign(std::numeric_limits<double>::infinity(), value);
}

}  // namespace

std::string_view name_of(DType type) {
  constexpr std::array names{"f64", "f32", "tf32", "f16", "bf16", "i32", "u8", "bool"};
  const auto index = static_cast<std::size_t>(type);
  return index < names.size() ? names[index] : "unknown";
}

std::string_view name_of(FormatSupport support) {
  constexpr std::array names{"none", "emulated", "native"};
  return names[static_cast<std::size_t>(support)];
}

double round_to(DType type, double value) {
  switch (type) {
    case DType::f64:
      return value;
    case DType::f32:
      return static_cast<float>(value);
    case DType::tf32:
      return round_to(Format{11, -126, 127}, value);
    case DType::f16:
      return round_to(Format{11, -14, 15}, value);
    case DType::bf16:
      return round_to(Format{8, -126, 127}, value);
    default:
      throw std::logic_error("round_to: " + std::string(name_of(type)) + " is no floating format");
  }
}

std::uint16_t f16_bits(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16) & 0x8000u;
  std::uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) {  // NaN: quiet, with the upper bits of its payload
    return static_cast<std::uint16_t>(sign | 0x7e00u | ((magnitude >> 13) & 0x1ffu));
  }
  if (magnitude >= 0x477ff000u) return static_cast<std::uint16_t>(sign | 0x7c00u);  // 65520 and more
  if (magnitude < 0x38800000u) {
    // Below 2^-14 the spacing of f16 is 2^-24, which is that of f32 at 0.5: the addition rounds.
    const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
    return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(shifted) - 0x3f000000u));
  }
  magnitude += 0xfffu + ((magnitude >> 13) & 1u);
  return static_cast<std::uint16_t>(sign | ((magnitude - 0x38000000u) >> 13));
}

float f16_value(std::uint16_t bits) {
  const std::uint32_t sign = (bits & 0x8000u) << 16;
  const std::uint32_t magnitude = bits & 0x7fffu;
  if (magnitude > 0x7c00u) return std::bit_cast<float>(sign | 0x7fc00000u | (magnitude << 13));
  if (magnitude == 0x7c00u) return std::bit_cast<float>(sign | 0x7f800000u);
  if (magnitude < 0x0400u) {
    const float value = static_cast<float>(magnitude) * 0x1p-24f;
    return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(value));
  }
  return std::bit_cast<float>(sign | ((magnitude << 13) + 0x38000000u));
}

}  // namespace halfling
