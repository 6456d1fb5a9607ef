// SPDX-License-Identifier: Apache-2.0
#include "launch.hpp"
#include "shape_kernels.hpp"

namespace halfling::cudnn {
namespace {

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

template <class T>
struct CopyRows {
  const std::byte* from;
  std::byte* to;
  std::int64_t from_stride, to_stride, units;  // units of T in a row
  HALFLING_DEVICE void operator()(std::int64_t i) const {
    const std::int64_t row = i / units, unit = i % units;
    reinterpret_cast<T*>(to + row * to_stride)[unit] =
        reinterpret_cast<const T*>(from + row * from_stride)[unit];
  }
};

/// Whether rows start and end where a T may lie.
template <class T>
bool fits(const RowCopy& copy) {
  const auto bits = reinterpret_cast<std::uintptr_t>(copy.from) | reinterpret_cast<std::uintptr_t>(copy.to) |
                    copy.from_stride | copy.to_stride | copy.bytes;
  return bits % sizeof(T) == 0;
}

template <class T>
void copy_rows(cudaStream_t stream, const RowCopy& copy) {
  const auto units = static_cast<std::int64_t>(copy.bytes / sizeof(T));
  launch_elements(stream, copy.rows * units,
                  CopyRows<T>{copy.from, copy.to, static_cast<std::int64_t>(copy.from_stride),
                              static_cast<std::int64_t>(copy.to_stride), units});
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

void launch_copy_rows(cudaStream_t stream, const RowCopy& copy) {
  if (fits<SixteenBytes>(copy)) return copy_rows<SixteenBytes>(stream, copy);
  if (fits<std::uint64_t>(copy)) return copy_rows<std::uint64_t>(stream, copy);
  if (fits<std::uint32_t>(copy)) return copy_rows<std::uint32_t>(stream, copy);
  if (fits<std::uint16_t>(copy)) return copy_rows<std::uint16_t>(stream, copy);
  copy_rows<std::uint8_t>(stream, copy);
}

void launch_one_hot(cudaStream_t stream, const std::int32_t* labels, float* to, std::int64_t rows,
                    std::int64_t classes) {
  launch_elements(stream, rows * classes, OneHot{labels, to, classes});
}

}  // namespace halfling::cudnn
