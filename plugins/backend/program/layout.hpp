// SPDX-License-Identifier: Apache-2.0
// The layout of the backend: values of rank 4 lie with their second axis last (images N, H, W, C; weights
// O, kh, kw, C), all others row-major. README.md says why.
#pragma once

#include <cstddef>

#include "halfling/shape.hpp"

namespace halfling::program {

/// The extents in the order in which they lie in memory.
Shape physical(const Shape& logical);
/// Which physical axis a logical one is.
int physical_axis(const Shape& logical, int axis);
/// False where the physical order is the logical one.
bool is_permuted(const Shape& logical);
/// The shape without its extents of 1: equal for values that can share a loop.
Shape squeezed(const Shape& shape);

/// Copies a whole value; `element` is the size of one in bytes.
void to_physical(const Shape& logical, std::size_t element, const std::byte* from, std::byte* to);
void to_logical(const Shape& logical, std::size_t element, const std::byte* from, std::byte* to);

}  // namespace halfling::program
