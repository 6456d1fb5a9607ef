// SPDX-License-Identifier: Apache-2.0
#include "arithmetic.hpp"

#include <bit>
#include <cmath>

namespace emulation {
namespace {

float round_operand(Operands operands, float value) {
  switch (operands) {
    case Operands::tf32:
      return round_to_tf32(value);
    case Operands::f16:
      return halfling::f16_value(halfling::f16_bits(value));
    case Operands::exact:
      break;
  }
  return value;
}

}  // namespace

float round_to_tf32(float value) {
  if (!std::isfinite(value)) return value;
  auto bits = std::bit_cast<std::uint32_t>(value);
  bits += 0xfffu + ((bits >> 13) & 1u);
  return std::bit_cast<float>(bits & ~0x1fffu);
}

float load_one(DType type, const void* source, std::int64_t index) {
  switch (type) {
    case DType::f16:
      return halfling::f16_value(static_cast<const std::uint16_t*>(source)[index]);
    case DType::bf16:
      return halfling::bf16_value(static_cast<const std::uint16_t*>(source)[index]);
    default:
      return static_cast<const float*>(source)[index];
  }
}

std::vector<float> load(DType type, const void* source, std::int64_t count, Operands operands) {
  std::vector<float> result(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i)
    result[static_cast<std::size_t>(i)] = round_operand(operands, load_one(type, source, i));
  return result;
}

void store_one(DType type, void* target, std::int64_t index, double value) {
  // What round_to returns is exact in float.
  switch (type) {
    case DType::f16:
      static_cast<std::uint16_t*>(target)[index] =
          halfling::f16_bits(static_cast<float>(halfling::round_to(type, value)));
      break;
    case DType::bf16:
      static_cast<std::uint16_t*>(target)[index] =
          halfling::bf16_bits(static_cast<float>(halfling::round_to(type, value)));
      break;
    default:
      static_cast<float*>(target)[index] = static_cast<float>(value);
  }
}

}  // namespace emulation
