// SPDX-License-Identifier: Apache-2.0
#include "layout.hpp"

#include <cstdint>
#include <cstring>

namespace halfling::program {
namespace {

template <class T>
void transpose(std::int64_t batch, std::int64_t rows, std::int64_t columns, const T* from, T* to) {
  for (std::int64_t n = 0; n < batch; ++n, from += rows * columns, to += rows * columns)
    for (std::int64_t r = 0; r < rows; ++r)
      for (std::int64_t c = 0; c < columns; ++c) to[c * rows + r] = from[r * columns + c];
}

void transpose(std::size_t element, std::int64_t batch, std::int64_t rows, std::int64_t columns,
               const std::byte* from, std::byte* to) {
  const auto as = [&]<class T>(T) {
    transpose(batch, rows, columns, reinterpret_cast<const T*>(from), reinterpret_cast<T*>(to));
  };
  switch (element) {
    case 1:
      return as(std::uint8_t{});
    case 2:
      return as(std::uint16_t{});
    case 4:
      return as(std::uint32_t{});
    default:
      return as(std::uint64_t{});
  }
}

}  // namespace

Shape physical(const Shape& logical) {
  return logical.rank() == 4 ? Shape{logical[0], logical[2], logical[3], logical[1]} : logical;
}

int physical_axis(const Shape& logical, int axis) {
  if (logical.rank() != 4 || axis == 0) return axis;
  return axis == 1 ? 3 : axis - 1;
}

bool is_permuted(const Shape& logical) {
  return logical.rank() == 4 && logical[1] != 1 && logical[2] * logical[3] != 1;
}

Shape squeezed(const Shape& shape) {
  Shape result;
  for (int axis = 0; axis < shape.rank(); ++axis)
    if (shape[axis] != 1) result.push_back(shape[axis]);
  return result;
}

void to_physical(const Shape& logical, std::size_t element, const std::byte* from, std::byte* to) {
  if (!is_permuted(logical))
    std::memcpy(to, from, static_cast<std::size_t>(logical.elements()) * element);
  else
    transpose(element, logical[0], logical[1], logical[2] * logical[3], from, to);
}

void to_logical(const Shape& logical, std::size_t element, const std::byte* from, std::byte* to) {
  if (!is_permuted(logical))
    std::memcpy(to, from, static_cast<std::size_t>(logical.elements()) * element);
  else
    transpose(element, logical[0], logical[2] * logical[3], logical[1], from, to);
}

}  // namespace halfling::program
