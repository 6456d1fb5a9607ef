// SPDX-License-Identifier: Apache-2.0
#include "launch.hpp"
#include "shape_kernels.hpp"

namespace halfling::cudnn {
namespace {

using program::RowPart;
using program::Rows;

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
void transpose(cudaStream_t stream, const Transposition& t, const std::byte* from, std::byte* to) {
  using Kernel = Transpose<T>;
  const auto tiles = [](std::int64_t extent) { return (extent + Kernel::side - 1) / Kernel::side; };
  const Kernel kernel{reinterpret_cast<const T*>(from),
                      reinterpret_cast<T*>(to),
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
void put_together(cudaStream_t stream, const Rows& rows, const RowPart* parts, std::byte* to) {
  const std::int64_t bytes = rows.count * rows.bytes;
  constexpr std::int64_t wide = sizeof(SixteenBytes);
  if (bytes % wide == 0 && reinterpret_cast<std::uintptr_t>(to) % wide == 0)
    launch_elements(stream, bytes / wide, PutTogether<Piece, SixteenBytes>{parts, to, rows.bytes});
  else
    launch_elements(stream, bytes / static_cast<std::int64_t>(sizeof(Piece)),
                    PutTogether<Piece, Piece>{parts, to, rows.bytes});
}

/// Whether every part of every row starts and ends where a T may lie.
template <class T>
bool fits(const Rows& rows, const std::byte* to) {
  auto bits = reinterpret_cast<std::uintptr_t>(to) | static_cast<std::uintptr_t>(rows.bytes);
  for (const RowPart& part : rows.parts)
    bits |= reinterpret_cast<std::uintptr_t>(part.from) |
            static_cast<std::uintptr_t>(part.stride | part.begin | part.end);
  return bits % sizeof(T) == 0;
}

struct OneHot {
  const std::int32_t* labels;
  float* to;
  std::int64_t classes;
  HALFLING_DEVICE void operator()(std::int64_t i) const {
    to[i] = labels[i / classes] == i % classes ? 1.0f : 0.0f;
  }
};

}  // namespace

void launch_transpose(cudaStream_t stream, const Transposition& transposition, const std::byte* from,
                      std::byte* to) {
  switch (transposition.element) {
    case 1:
      return transpose<std::uint8_t>(stream, transposition, from, to);
    case 2:
      return transpose<std::uint16_t>(stream, transposition, from, to);
    case 4:
      return transpose<std::uint32_t>(stream, transposition, from, to);
    default:
      return transpose<std::uint64_t>(stream, transposition, from, to);
  }
}

void launch_rows(cudaStream_t stream, const Rows& rows, const RowPart* parts, std::byte* to) {
  if (fits<SixteenBytes>(rows, to)) return put_together<SixteenBytes>(stream, rows, parts, to);
  if (fits<std::uint64_t>(rows, to)) return put_together<std::uint64_t>(stream, rows, parts, to);
  if (fits<std::uint32_t>(rows, to)) return put_together<std::uint32_t>(stream, rows, parts, to);
  if (fits<std::uint16_t>(rows, to)) return put_together<std::uint16_t>(stream, rows, parts, to);
  put_together<std::uint8_t>(stream, rows, parts, to);
}

void launch_one_hot(cudaStream_t stream, const std::int32_t* labels, float* to, std::int64_t rows,
                    std::int64_t classes) {
  launch_elements(stream, rows * classes, OneHot{labels, to, classes});
}

}  // namespace halfling::cudnn
