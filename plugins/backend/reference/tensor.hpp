// SPDX-License-Identifier: Apache-2.0
// A value of the reference backend: every element as a double, which holds each storage format exactly.
#pragma once

#include <span>
#include <vector>

#include "halfling/dtype.hpp"
#include "halfling/shape.hpp"

namespace halfling::reference {

struct Tensor {
  DType dtype = DType::f32;
  Shape shape;
  std::vector<double> elements;  ///< logical order, densely packed

  Tensor() = default;
  Tensor(DType format, Shape extents, double value = 0);
  std::size_t byte_size() const { return elements.size() * size_of(dtype); }
};

/// Between elements and their storage format, as the host sees it. The sizes must agree: throws Error with
/// `name` otherwise.
void load(Tensor& tensor, std::string_view name, std::span<const std::byte> bytes);
void store(const Tensor& tensor, std::string_view name, std::span<std::byte> bytes);

/// The element of an operand that goes with element `index` of a result of equal rank: extents of 1 repeat.
std::int64_t broadcast_index(const Shape& result, const Shape& operand, std::int64_t index);

}  // namespace halfling::reference
