// SPDX-License-Identifier: Apache-2.0
// A fused loop as the device runs it: instructions over chunks of eight neighbouring elements, so that one
// decoding serves eight elements and half formats move 16 bytes at a time. Light: device code includes it.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "halfling/dtype.hpp"
#include "program/tile_op.hpp"

namespace halfling::cudnn {

inline constexpr int chunk = 8;  ///< elements that a thread takes at a time

/// Where an operand comes from.
enum class Source : std::uint8_t {
  accumulator,  ///< the result of the instruction before
  kept,         ///< a register
  constant,
  scalar,   ///< memory: one element for all …
  element,  ///< … one for each
  column,   ///< … one for each column
  view,     ///< … any broadcast
};

struct alignas(16) TileOperand {
  const std::byte* from = nullptr;
  float constant = 0;
  std::int16_t index = 0;  ///< of the register or the view
  Source source = Source::accumulator;
  DType dtype = DType::f32;
};

inline constexpr std::int16_t nowhere = -1;
inline constexpr int moment_registers = 5;  ///< a shift, the sum of deviations from it, and of their squares

/// Computes a result and leaves it in the accumulator; then rounds, keeps, stores and adds it up as asked.
struct alignas(16) TileOperation {
  program::TileOp op = program::TileOp::copy;
  std::uint8_t operand_count = 1;
  DType round = DType::f32;     ///< a half format; else not at all
  DType dtype = DType::f32;     ///< of what is stored
  std::int16_t keep = nowhere;  ///< register
  std::int16_t sum = nowhere;   ///< register: += result
  float parameters[2] = {};
  std::byte* to = nullptr;         ///< memory; nullptr: not stored
  std::int16_t moments = nowhere;  ///< `moment_registers`: see add_moments
};

struct TileInstruction {
  TileOperation operation;
  TileOperand operands[3];
};

/// Of an operand that is broadcast in any way: where the row's part of its offset comes from.
struct TileView {
  int axes = 0;  ///< of the row's index, outermost first
  std::int64_t extents[3] = {};
  std::int64_t strides[3] = {};
  std::int64_t step = 0;  ///< between neighbouring columns
};

/// Rows of `width` elements; the last row may be shorter. A block has across x down threads: each takes eight
/// neighbouring columns of its rows, every (row_blocks * down)-th.
struct TileGrid {
  std::int64_t elements = 0, width = 0, rows = 0;
  int across = 1, down = 1;
  std::int64_t column_blocks = 1, row_blocks = 1;
};

enum class Reduction : std::uint8_t { total, column_sum, column_moments };

struct TileResult {
  Reduction kind{};
  DType dtype = DType::f32;
  std::int16_t from = 0;  ///< first register of its accumulators
  int part = 1;  ///< doubles that a block leaves of a column: a sum; or rows, mean and squared deviations
  std::int64_t partials = 0;  ///< where these begin
  std::int64_t columns = 1;
  std::byte* results[2] = {};  ///< sum; or mean and biased variance
};

inline constexpr int no_pattern = -1;

/// Pointers are those of the device.
struct TileLoop {
  TileGrid grid;
  int pattern = no_pattern;
  const TileInstruction* instructions = nullptr;
  const TileView* views = nullptr;
  const TileResult* results = nullptr;
  double* partials = nullptr;
  int instruction_count = 0;
  int result_count = 0;
  int registers = 0;            ///< of a thread
  int accumulators = 0;         ///< the last ones of them: begin at zero
  std::int64_t columns = 0;     ///< of all results
  std::int64_t most_parts = 0;  ///< that a column of a result has
};

inline constexpr int most_tile_threads = 128;  ///< of a block

/// Bytes of shared memory that a block of `threads` needs.
constexpr std::size_t tile_shared_bytes(int registers, int threads) {
  return static_cast<std::size_t>(threads) *
         (sizeof(double) + sizeof(float) * chunk * static_cast<std::size_t>(registers));
}

/// The pattern that these instructions (on the host) follow; `no_pattern`: they are interpreted.
int find_pattern(const TileInstruction* instructions, int count);

/// Queues the loop and, where it has results, their combination. Reductions end in a fixed order.
void run_tiles(cudaStream_t stream, const TileLoop& loop);

}  // namespace halfling::cudnn
