// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "launch.hpp"
#include "shape_kernels.hpp"

namespace halfling::cudnn {
namespace {

using program::RowPart;
using program::Rows;
using program::Transposition;

struct alignas(16) SixteenBytes {
  std::uint64_t words[2];
};

/// Through a tile in shared memory, so that neighbours are read and written by neighbouring threads.
template <class T>
struct Transpose {
  static constexpr int side = 32, threads = 256;
  static constexpr std::size_t shared_bytes = sizeof(T) * side * (side + 1);  // + 1: no bank conflicts
  const T* from;
  T* to;
  std::int64_t rows, columns, tiles_down, tiles_across;

  HALFLING_DEVICE void operator()(const ThreadBlock& block) const {
    T* tile = block.shared<T>();
    const std::int64_t across = block.index % tiles_across, rest = block.index / tiles_across;
    const std::int64_t row = rest % tiles_down * side, column = across * side;
    const std::int64_t matrix = rest / tiles_down * rows * columns;
    block.each([&](int thread) {
      const int c = thread % side;
      for (int r = thread / side; r < side; r += threads / side)
        if (row + r < rows && column + c < columns)
          tile[r * (side + 1) + c] = from[matrix + (row + r) * columns + column + c];
    });
    block.each([&](int thread) {
      const int r = thread % side;
      for (int c = thread / side; c < side; c += threads / side)
        if (row + r < rows && column + c < columns)
          to[matrix + (column + c) * rows + row + r] = tile[r * (side + 1) + c];
    });
  }
};

template <class T>
void transpose(cudaStream_t stream, const Transposition& t) {
  using Kernel = Transpose<T>;
  const auto tiles = [](std::int64_t extent) { return (extent + Kernel::side - 1) / Kernel::side; };
  const Kernel kernel{reinterpret_cast<const T*>(t.from),
                      reinterpret_cast<T*>(t.to),
                      t.rows,
                      t.columns,
                      tiles(t.rows),
                      tiles(t.columns)};
  launch_blocks(stream, t.batch * kernel.tiles_down * kernel.tiles_across, Kernel::threads,
                Kernel::shared_bytes, kernel);
}

/// Each thread writes one Whole of the result, made of pieces that may come from several parts and rows.
template <class Piece, class Whole>
struct PutTogether {
  const RowPart* parts;
  std::byte* to;
  std::int64_t row_bytes;

  HALFLING_DEVICE void operator()(std::int64_t i) const {
    constexpr int count = sizeof(Whole) / sizeof(Piece);
    const std::int64_t first = i * static_cast<std::int64_t>(sizeof(Whole));
    std::int64_t row = first / row_bytes, at = first % row_bytes;
    const RowPart* part = parts;
    Piece pieces[count];
    for (int k = 0; k < count; ++k) {
      if (at == row_bytes) {
        ++row;
        at = 0;
        part = parts;
      }
      while (at >= part->end) ++part;
      pieces[k] = Piece{};
      if (part->from != nullptr)
        pieces[k] = *reinterpret_cast<const Piece*>(part->from + row * part->stride + (at - part->begin));
      at += static_cast<std::int64_t>(sizeof(Piece));
    }
    __builtin_memcpy(__builtin_assume_aligned(to + first, sizeof(Whole)), pieces, sizeof(Whole));
  }
};

template <class Piece>
void put_together(cudaStream_t stream, const Rows& rows, const RowPart* parts) {
  const std::int64_t bytes = rows.count * rows.bytes;
  constexpr std::int64_t wide = sizeof(SixteenBytes);
  if (bytes % wide == 0 && reinterpret_cast<std::uintptr_t>(rows.to) % wide == 0)
    launch_elements(stream, bytes / wide, PutTogether<Piece, SixteenBytes>{parts, rows.to, rows.bytes});
  else
    launch_elements(stream, bytes / static_cast<std::int64_t>(sizeof(Piece)),
                    PutTogether<Piece, Piece>{parts, rows.to, rows.bytes});
}

/// Whether every part of every row starts and ends where a T may lie.
template <class T>
bool fits(const Rows& rows) {
  auto bits = reinterpret_cast<std::uintptr_t>(rows.to) | static_cast<std::uintptr_t>(rows.bytes);
  for (const RowPart& part : rows.parts)
    bits |= reinterpret_cast<std::uintptr_t>(part.from) |
            static_cast<std::uintptr_t>(part.stride | part.begin | part.end);
  return bits % sizeof(T) == 0;
}

constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

struct PutOneHot {
  program::OneHot hot;
  HALFLING_DEVICE void operator()(std::int64_t i) const {
    const std::int64_t label = hot.labels[i / hot.classes];
    const bool valid = label >= 0 && label < hot.classes;
    hot.to[i] = label == i % hot.classes ? 1.0f : valid ? 0.0f : not_a_number;
  }
};

}  // namespace

void launch_transpose(cudaStream_t stream, const Transposition& transposition) {
  switch (transposition.element) {
    case 1:
      return transpose<std::uint8_t>(stream, transposition);
    case 2:
      return transpose<std::uint16_t>(stream, transposition);
    case 4:
      return transpose<std::uint32_t>(stream, transposition);
    default:
      return transpose<std::uint64_t>(stream, transposition);
  }
}

void launch_rows(cudaStream_t stream, const Rows& rows, const RowPart* parts) {
  if (fits<SixteenBytes>(rows)) return put_together<SixteenBytes>(stream, rows, parts);
  if (fits<std::uint64_t>(rows)) return put_together<std::uint64_t>(stream, rows, parts);
  if (fits<std::uint32_t>(rows)) return put_together<std::uint32_t>(stream, rows, parts);
  if (fits<std::uint16_t>(rows)) return put_together<std::uint16_t>(stream, rows, parts);
  put_together<std::uint8_t>(stream, rows, parts);
}

void launch_one_hot(cudaStream_t stream, const program::OneHot& one_hot) {
  launch_elements(stream, one_hot.rows * one_hot.classes, PutOneHot{one_hot});
}

}  // namespace halfling::cudnn
