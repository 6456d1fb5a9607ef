// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace halfling::cpu {

/// to [columns, rows] = the transpose of from [rows, columns]; `element`: bytes of one, 1, 2 or 4. A row of
/// `to` has `stride` elements, at least `rows`.
void transpose(std::size_t element, const std::byte* from, std::byte* to, std::int64_t rows,
               std::int64_t columns, std::int64_t stride);

}  // namespace halfling::cpu
