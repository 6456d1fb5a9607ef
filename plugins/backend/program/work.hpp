// SPDX-License-Identifier: Apache-2.0
// What steps do that are neither fused loops nor contractions, as numbers and addresses: a backend adds the
// code of its device. Light: device code includes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

#include "halfling/op.hpp"

namespace halfling::program {

struct Item;
struct StepContext;

// --- moves

struct Copy {
  const std::byte* from;
  std::byte* to;
  std::size_t bytes;
};

/// `batch` matrices [rows, columns], one after the other, become [columns, rows]; `element`: the size of one.
struct Transposition {
  std::int64_t batch, rows, columns;
  std::size_t element;
  const std::byte* from;
  std::byte* to;
};

/// A reshape from or to images of several channels: one pass, or two with the logical order between them.
struct Permutation {
  std::vector<Transposition> passes;
  std::size_t scratch_bytes = 0;
  void use_scratch(std::byte* scratch) {
    if (passes.size() == 2) passes[0].to = scratch, passes[1].from = scratch;
  }
};

/// Bytes begin … end - 1 of each row: row i of them lies at from + i * stride. No `from`: zeros.
struct RowPart {
  const std::byte* from = nullptr;
  std::int64_t stride = 0;
  std::int64_t begin = 0, end = 0;
};

/// Concat and slice: `count` rows of `bytes`, one after the other, put together from parts of other rows; the
/// parts are those of each row, in their order. Zero constants of a concat need no memory.
struct Rows {
  std::int64_t count = 1, bytes = 0;
  std::vector<RowPart> parts;
  std::byte* to = nullptr;
};

/// to [rows, classes]: 1 where the column is the row's label, else 0; NaN all along a row whose label is no
/// class.
struct OneHot {
  const std::int32_t* labels;
  float* to;
  std::int64_t rows, classes;
};

using Move = std::variant<Copy, Permutation, Rows, OneHot>;
/// Of an item of kind copy, or of class shape.
Move move_of(const StepContext& context, const Item& item);
/// Bytes of scratch that it needs while it runs, to be given to its use_scratch.
std::size_t scratch_bytes(const Move& move);
void use_scratch(Move& move, std::byte* scratch);

// --- random numbers

/// The numbers of random.hpp: element i in logical order, wherever it lies in memory.
struct Draw {
  Op op;             ///< random_uniform, random_normal or random_integer
  double low, high;  ///< as RandomAttributes have them
  std::uint32_t stream;
  const std::int32_t* counter;  ///< i32 [4]
  std::byte* to;                ///< i32 of random_integer, else f32
  std::int64_t elements;
  /// Of an output [N, C, H, W], which lies N, H, W, C: H W and C. 0: as in logical order.
  std::int64_t pixels = 0, channels = 0;
};

/// The counter of the next iteration: the 64-bit number in the last two words is raised by one. `from` and
/// `to` may be the same.
struct Advance {
  const std::int32_t* from;
  std::int32_t* to;
};

using Random = std::variant<Draw, Advance>;
/// Of an item of class random, or of advance_random.
Random random_of(const StepContext& context, const Item& item);

// --- updates and losses

/// A learning rate: where its update's number stands, and where it goes.
struct Scheduled {
  const std::int32_t* step;
  float* to;
  ScheduleAttributes attributes;
};
/// Of an item of Op::schedule.
Scheduled scheduled_of(const StepContext& context, const Item& item);

/// One parameter of Op::adam. Updates that group_updates joined have step, scale, skip, learning rate
/// and attributes in common.
struct AdamUpdate {
  float *parameter, *mean, *variance;
  const std::byte* gradient;
  DType gradient_type;
  std::byte* half;  ///< where a copy of the new parameter in a half format goes; nullptr: nowhere
  DType half_type;
  std::int64_t elements;
  const std::int32_t* step;
  const float* inverse_scale;
  const std::uint8_t* skip;
  const float* learning_rate;
  AdamAttributes attributes;
};
AdamUpdate adam_of(const StepContext& context, const Item& item);

/// Softmax or its cross entropy over rows of a few classes.
struct Softmax {
  const std::byte* logits;     ///< [rows, classes]
  const std::int32_t* labels;  ///< [rows]; nullptr: softmax
  std::byte* to;  ///< softmax: [rows, classes]; cross entropy: [rows], NaN where a label is no class
  DType dtype;    ///< of logits and results: f32, f16 or bf16
  std::int64_t rows, classes;
};
/// Of an item of class loss.
Softmax softmax_of(const StepContext& context, const Item& item);

}  // namespace halfling::program
