// SPDX-License-Identifier: Apache-2.0
#include "tensor.hpp"

#include <cstring>

#include "halfling/error.hpp"

namespace halfling::reference {
namespace {

/// Storage types whose conversion to and from double is a plain cast.
template <class Stored>
struct Plain {
  using Storage = Stored;
  static double value(Stored stored) { return static_cast<double>(stored); }
  static Stored stored(double value) { return static_cast<Stored>(value); }
};
struct Float16 {
  using Storage = std::uint16_t;
  static double value(Storage bits) { return f16_value(bits); }
  static Storage stored(double value) { return f16_bits(static_cast<float>(value)); }
};
struct BFloat16 {
  using Storage = std::uint16_t;
  static double value(Storage bits) { return bf16_value(bits); }
  static Storage stored(double value) { return bf16_bits(static_cast<float>(value)); }
};

/// Calls `visit` with the conversion of a format.
template <class Visit>
void with_format(DType dtype, Visit visit) {
  switch (dtype) {
    case DType::f64:
      return visit(Plain<double>{});
    case DType::f32:
    case DType::tf32:
      return visit(Plain<float>{});
    case DType::f16:
      return visit(Float16{});
    case DType::bf16:
      return visit(BFloat16{});
    case DType::i32:
      return visit(Plain<std::int32_t>{});
    case DType::u8:
    case DType::boolean:
      return visit(Plain<std::uint8_t>{});
  }
}

void check_size(const Tensor& tensor, std::string_view name, std::size_t got) {
  if (got == tensor.byte_size()) return;
  throw Error({.what = "a host buffer has the wrong size",
               .where = std::string(name),
               .got = std::to_string(got) + " bytes",
               .expected = std::to_string(tensor.byte_size()) + " bytes for " +
                           std::string(name_of(tensor.dtype)) + " " + tensor.shape.text(),
               .hint = {}});
}

}  // namespace

Tensor::Tensor(DType format, Shape extents, double value)
    : dtype(format), shape(extents), elements(static_cast<std::size_t>(extents.elements()), value) {}

void load(Tensor& tensor, std::string_view name, std::span<const std::byte> bytes) {
  check_size(tensor, name, bytes.size());
  with_format(tensor.dtype, [&](auto format) {
    typename decltype(format)::Storage stored;
    const std::byte* from = bytes.data();
    for (double& element : tensor.elements) {
      std::memcpy(&stored, from, sizeof stored);
      element = format.value(stored);
      from += sizeof stored;
    }
  });
}

void store(const Tensor& tensor, std::string_view name, std::span<std::byte> bytes) {
  check_size(tensor, name, bytes.size());
  with_format(tensor.dtype, [&](auto format) {
    std::byte* to = bytes.data();
    for (const double element : tensor.elements) {
      const auto stored = format.stored(element);
      std::memcpy(to, &stored, sizeof stored);
      to += sizeof stored;
    }
  });
}

std::int64_t broadcast_index(const Shape& result, const Shape& operand, std::int64_t index) {
  std::int64_t found = 0;
  std::int64_t stride = 1;
  for (int axis = result.rank() - 1; axis >= 0; --axis) {
    const std::int64_t coordinate = index % result[axis];
    index /= result[axis];
    if (operand[axis] != 1) found += coordinate * stride;
    stride *= operand[axis];
  }
  return found;
}

}  // namespace halfling::reference
