// SPDX-License-Identifier: Apache-2.0
// One thread runs one instruction of a fused loop on eight neighbouring elements. Only *.cu files include
// this.
#pragma once

#include "tile_compute.hpp"
#include "tile_patterns.hpp"

namespace halfling::cudnn {

/// Eight neighbouring elements of one row, or what is left of it.
struct Chunk {
  std::int64_t row, column, element;
  int count;
  bool is_first;  ///< of those that the thread sees
};

/// One thread's registers in the block's shared memory: neighbouring threads in neighbouring banks.
struct Registers {
  float* memory;
  int threads, thread;

  HALFLING_DEVICE float& at(int index, int i) const { return memory[(index * chunk + i) * threads + thread]; }
};

/// Where an operand's first element lies, in elements, and how far its next one.
HALFLING_DEVICE inline std::int64_t locate(const TileOperand& operand, const TileView* views, const Chunk& at,
                                           std::int64_t& step) {
  step = operand.source == Source::scalar ? 0 : 1;
  if (operand.source == Source::scalar) return 0;
  if (operand.source == Source::element) return at.element;
  if (operand.source == Source::column) return at.column;
  const TileView& view = views[operand.index];
  step = view.step;
  std::int64_t index = at.row, offset = at.column * step;
  for (int axis = view.axes - 1; axis > 0; --axis) {
    offset += index % view.extents[axis] * view.strides[axis];
    index /= view.extents[axis];
  }
  return view.axes > 0 ? offset + index * view.strides[0] : offset;
}

HALFLING_DEVICE inline Values read_memory(const TileOperand& operand, const TileView* views,
                                          const Chunk& at) {
  std::int64_t step = 0;
  const std::int64_t offset = locate(operand, views, at, step);
  const std::byte* from = operand.from + offset * bytes_of(operand.dtype);
  if (step == 1 && at.count == chunk && is_aligned(operand.dtype, from))
    return load_chunk(operand.dtype, from);
  if (step == 0) {
    const float value = load_one(operand.dtype, from, 0);
    return each([&](int) { return value; });
  }
  return each([&](int i) { return i < at.count ? load_one(operand.dtype, from, i * step) : 0.f; });
}

HALFLING_DEVICE inline Values read(const TileOperand& operand, const TileView* views, const Chunk& at,
                                   const Values& accumulator, const Registers& registers) {
  switch (operand.source) {
    case Source::accumulator:
      return accumulator;
    case Source::kept:
      return each([&](int i) { return registers.at(operand.index, i); });
    case Source::constant:
      return each([&](int) { return operand.constant; });
    default:
      return read_memory(operand, views, at);
  }
}

HALFLING_DEVICE inline void write(DType dtype, const Values& values, std::byte* to, const Chunk& at) {
  to += at.element * bytes_of(dtype);
  if (at.count == chunk && is_aligned(dtype, to)) return store_chunk(dtype, values, to);
  for (int i = 0; i < chunk; ++i)
    if (i < at.count) store_one(dtype, values.at[i], to, i);
}

/// high + low += term, where low is what rounding took from high (Knuth's TwoSum).
HALFLING_DEVICE inline void add_exactly(float& high, float& low, float term) {
  const float sum = high + term, back = sum - high;
  low += (high - (sum - back)) + (term - back);
  high = sum;
}

/// Rounded, also where the compiler would rather fuse it with a sum.
HALFLING_DEVICE inline float rounded_square(float x) {
#if defined(__CUDA_ARCH__)
  return __fmul_rn(x, x);
#else
  return x * x;
#endif
}

/// The shift is the first value, which may lie as far as sqrt(n) deviations from the mean: so nothing is lost
/// before the sums, of two registers each, are joined in double.
HALFLING_DEVICE inline void add_moments(int index, const Values& values, const Registers& registers,
                                        const Chunk& at) {
  for (int i = 0; i < chunk; ++i) {  // beyond the row's end nobody looks
    if (at.is_first) registers.at(index, i) = values.at[i];
    float deviation = values.at[i], rest = 0;
    add_exactly(deviation, rest, -registers.at(index, i));
    const float square = rounded_square(deviation);
    add_exactly(registers.at(index + 1, i), registers.at(index + 2, i), deviation);
    registers.at(index + 2, i) += rest;
    add_exactly(registers.at(index + 3, i), registers.at(index + 4, i), square);
    registers.at(index + 4, i) += fmaf(deviation, deviation, -square) + 2 * deviation * rest;
  }
}

/// Takes a part of an instruction out of memory, 16 bytes at a time. No kernel changes instructions.
template <class T>
HALFLING_DEVICE inline T fetch(const T& from) {
  static_assert(sizeof(T) % sizeof(uint4) == 0);
#if defined(__CUDA_ARCH__)
  uint4 words[sizeof(T) / sizeof(uint4)];
  for (std::size_t i = 0; i < sizeof(T) / sizeof(uint4); ++i)
    words[i] = __ldg(reinterpret_cast<const uint4*>(&from) + i);
  T result;
  __builtin_memcpy(&result, words, sizeof result);
  return result;
#else
  return from;
#endif
}

/// An instruction of which nothing is known before it runs.
struct AnyLine {
  HALFLING_DEVICE static TileOperation operation(const TileInstruction& instruction) {
    return fetch(instruction.operation);
  }
  template <int index>
  HALFLING_DEVICE static TileOperand operand(const TileInstruction& instruction) {
    return fetch(instruction.operands[index]);
  }
};

/// One of which a pattern tells all but places and parameters: the compiler leaves out what it does not do.
template <class Pattern, int number>
struct KnownLine {
  static constexpr PatternLine line = Pattern::lines[number];

  HALFLING_DEVICE static TileOperation operation(const TileInstruction& instruction) {
    TileOperation operation = fetch(instruction.operation);
    operation.op = line.op;
    operation.operand_count = line.operand_count;
    operation.round = line.round;
    operation.dtype = line.dtype;
    if (!line.moments) operation.moments = nowhere;
    return operation;
  }
  template <int index>
  HALFLING_DEVICE static TileOperand operand(const TileInstruction& instruction) {
    constexpr PatternOperand known = line.operands[index];
    TileOperand operand{};
    if (known.source != Source::accumulator) operand = fetch(instruction.operands[index]);
    operand.source = known.source;
    operand.dtype = known.dtype;
    return operand;
  }
};

/// Runs one instruction; the accumulator holds the result of the one before.
template <class Line>
HALFLING_DEVICE inline void run(const TileInstruction& instruction, const TileView* views, const Chunk& at,
                                Values& accumulator, const Registers& registers) {
  const TileOperation operation = Line::operation(instruction);
  const auto get = [&](const TileOperand& operand) {
    return read(operand, views, at, accumulator, registers);
  };
  Values a = get(Line::template operand<0>(instruction)), b{}, c{};
  if (operation.operand_count > 1) b = get(Line::template operand<1>(instruction));
  if (operation.operand_count > 2) c = get(Line::template operand<2>(instruction));
  accumulator = compute(operation.op, a, b, c, operation.parameters);
  if (operation.round == DType::f16)
    accumulator = each([&](int i) { return round_to<__half>(accumulator.at[i]); });
  if (operation.round == DType::bf16)
    accumulator = each([&](int i) { return round_to<__nv_bfloat16>(accumulator.at[i]); });
  if (operation.keep != nowhere)
    for (int i = 0; i < chunk; ++i) registers.at(operation.keep, i) = accumulator.at[i];
  if (operation.sum != nowhere)
    for (int i = 0; i < chunk; ++i)
      if (i < at.count) registers.at(operation.sum, i) += accumulator.at[i];
  if (operation.moments != nowhere) add_moments(operation.moments, accumulator, registers, at);
  if (operation.to != nullptr) write(operation.dtype, accumulator, operation.to, at);
}

}  // namespace halfling::cudnn
