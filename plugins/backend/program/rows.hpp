// SPDX-License-Identifier: Apache-2.0
// Concat and slice as one pattern: rows of bytes that are put together from parts of other rows. Light:
// device code includes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace halfling {
class Graph;
}

namespace halfling::program {

struct Item;
struct Program;

/// Bytes begin … end - 1 of each row: row i of them lies at from + i * stride. No `from`: zeros.
struct RowPart {
  const std::byte* from = nullptr;
  std::int64_t stride = 0;
  std::int64_t begin = 0, end = 0;
};

/// `count` rows of `bytes`, one after the other; the parts are those of each row, in their order.
struct Rows {
  std::int64_t count = 1, bytes = 0;
  std::vector<RowPart> parts;
};

/// Of a concat or a slice; `addresses`: where each of the program's places lies. Zero constants of a concat
/// need no memory.
Rows rows_of(const Graph& graph, const Program& program, const std::vector<std::byte*>& addresses,
             const Item& item);

}  // namespace halfling::program
