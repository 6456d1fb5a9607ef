// SPDX-License-Identifier: Apache-2.0
// Runs a tile program: each thread takes a contiguous run of tiles; reductions end in a fixed order.
#include <algorithm>
#include <cstring>

#include "program/tile_program.hpp"
#include "step.hpp"

namespace halfling::cpu {
namespace {

constexpr std::int64_t cache_floats = 8192;  // 32 KiB: what the registers of one thread may fill
constexpr std::int64_t most_floats = 4096;

/// A double kept among floats.
double double_at(const float* place) {
  double value;
  std::memcpy(&value, place, sizeof value);
  return value;
}
void add_double(float* place, double term) {
  const double value = double_at(place) + term;
  std::memcpy(place, &value, sizeof value);
}

class TileStep final : public Step {
 public:
  TileStep(TileProgram program, const Team& team) : program_(std::move(program)), team_(team) {
    layout_tiles();
    layout_workspace();
  }

  std::size_t scratch_bytes() const override {
    return static_cast<std::size_t>(threads_) * per_thread_ * sizeof(float);
  }
  void use_scratch(std::byte* scratch) override { scratch_ = reinterpret_cast<float*>(scratch); }
  std::string implementation() const override { return std::string("tiles:") + kernels().name; }

  void run() override {
    team_.run(threads_, [&](int thread) { loop(thread); });
    for (const TileReduction& reduction : program_.reductions) finish(reduction);
  }

 private:
  /// A tile is rows x columns: whole rows where they fit, else a part of one row. Flat programs have one row.
  void layout_tiles() {
    const int registers = std::max(program_.registers, 1);
    tile_ = std::clamp<std::int64_t>(cache_floats / registers / 64 * 64, 256, most_floats);
    const std::int64_t columns = program_.columns;
    if (columns == 0 || columns > tile_) {
      rows_ = columns == 0 ? 1 : program_.elements / columns;
      width_ = columns == 0 ? program_.elements : columns;
      tile_ = std::min(tile_, width_);
      blocks_ = (width_ + tile_ - 1) / tile_;
      tiles_ = blocks_ * rows_;
    } else {
      tile_rows_ = std::min(tile_ / columns, program_.elements / columns);
      tile_ = tile_rows_ * columns;
      rows_ = program_.elements / columns;
      width_ = columns;
      tiles_ = (rows_ + tile_rows_ - 1) / tile_rows_;
    }
    const auto instructions =
        static_cast<std::int64_t>(program_.computes.size() + program_.reductions.size() + 1);
    threads_ = static_cast<int>(
        std::min<std::int64_t>(team_.threads_for(program_.elements * instructions, 1 << 16), tiles_));
    stride_ = padded(tile_);
  }

  /// Floats of whole cache lines.
  static std::int64_t padded(std::int64_t floats) { return (floats + 15) / 16 * 16; }

  void layout_workspace() {
    per_thread_ = static_cast<std::size_t>(program_.registers * stride_);
    for (TileReduction& reduction : program_.reductions) {
      reduction.offset = per_thread_;
      const std::int64_t values =
          reduction.kind == ItemKind::column_moments
              ? 5 * padded(reduction.columns)
              : padded(reduction.kind == ItemKind::column_sum ? reduction.columns : 1);
      per_thread_ += static_cast<std::size_t>(values);
    }
    seen_offset_ = per_thread_;
    per_thread_ += static_cast<std::size_t>(2 * padded(program_.columns == 0 ? 1 : blocks_));
    pointers_.resize(static_cast<std::size_t>(threads_ * std::max(program_.registers, 1)));
  }

  struct Tile {
    std::int64_t element, count, row, rows, column, width, block;
  };
  Tile tile(std::int64_t index) const {
    if (tile_rows_ > 0) {
      const std::int64_t row = index * tile_rows_, rows = std::min(tile_rows_, rows_ - row);
      return {row * width_, rows * width_, row, rows, 0, width_, 0};
    }
    const std::int64_t block = index / rows_, row = index % rows_, column = block * tile_;
    const std::int64_t width = std::min(tile_, width_ - column);
    return {row * width_ + column, width, row, 1, column, width, program_.columns == 0 ? 0 : block};
  }

  float* workspace(int thread) const { return scratch_ + static_cast<std::size_t>(thread) * per_thread_; }
  float* buffer(int thread, int r) const { return workspace(thread) + r * stride_; }
  /// Rows that a thread has seen, by block of columns.
  double* seen(int thread) const { return reinterpret_cast<double*>(workspace(thread) + seen_offset_); }
  /// A thread's accumulators. A shift that is one of the values lies within sqrt(n) deviations of their mean,
  /// so in double no more than log2(n) of 53 bits are lost where the square of the sum is taken away.
  struct Moments {
    float* shift;
    double *first, *second;
  };
  Moments moments(const TileReduction& reduction, int thread) const {
    float* base = workspace(thread) + reduction.offset;
    auto* first = reinterpret_cast<double*>(base + padded(reduction.columns));
    return {base, first, first + padded(reduction.columns)};
  }
  const float** pointers(int thread) {
    return pointers_.data() + static_cast<std::size_t>(thread * program_.registers);
  }

  void loop(int thread) {
    const float** r = pointers(thread);
    for (int i = 0; i < program_.registers; ++i) r[i] = buffer(thread, i);
    for (const TileLoad& load : program_.once) load_once(load, thread);
    if (!program_.reductions.empty()) {
      float* from = workspace(thread) + program_.registers * stride_;
      std::memset(from, 0, static_cast<std::size_t>(workspace(thread) + per_thread_ - from) * sizeof(float));
    }
    const Range range = share(tiles_, thread, threads_);
    for (std::int64_t index = range.begin; index < range.end; ++index) run_tile(tile(index), thread, r);
  }

  /// What is the same for every tile. Columns of wide rows are taken tile by tile.
  void load_once(const TileLoad& load, int thread) {
    float* to = buffer(thread, load.to);
    if (load.access == Access::constant) {
      std::fill_n(to, tile_, load.constant);
    } else if (load.access == Access::scalar) {
      kernels().load(load.dtype, load.from, to, 1);
      std::fill_n(to + 1, tile_ - 1, to[0]);
    } else if (tile_rows_ > 0) {
      kernels().load(load.dtype, load.from, to, width_);
      for (std::int64_t row = 1; row < tile_rows_; ++row) std::copy_n(to, width_, to + row * width_);
    }
  }

  void run_tile(const Tile& t, int thread, const float** r) {
    const Kernels& k = kernels();
    if (tile_rows_ == 0)
      for (const TileLoad& load : program_.once)
        if (load.access == Access::column) load_column_part(load, t, thread, r);
    std::size_t next = 0;
    for (std::size_t i = 0; i <= program_.computes.size(); ++i) {
      for (; next < program_.loads.size() && program_.load_at[next] == i; ++next)
        load_tile(program_.loads[next], t, thread, r);
      if (i == program_.computes.size()) break;
      const TileCompute& c = program_.computes[i];
      float* to = c.direct != nullptr ? reinterpret_cast<float*>(c.direct) + t.element : buffer(thread, c.to);
      const auto operand = [&](int index) { return index == no_register ? nullptr : r[index]; };
      k.tile[static_cast<int>(c.op)](
          {to, operand(c.a), operand(c.b), operand(c.c), t.count, {c.parameters[0], c.parameters[1]}});
      r[c.to] = to;
    }
    for (const TileReduction& reduction : program_.reductions) reduce(reduction, t, thread, r);
    if (!program_.reductions.empty()) seen(thread)[t.block] += static_cast<double>(t.rows);
    for (const TileStore& store : program_.stores) {
      std::byte* to = store.to + static_cast<std::size_t>(t.element) * size_of(store.dtype);
      if (store.exact && store.dtype == DType::bf16)
        k.store_exact_bf16(r[store.from], to, t.count);
      else
        k.store(store.dtype, r[store.from], to, t.count);
    }
  }

  void load_tile(const TileLoad& load, const Tile& t, int thread, const float** r) {
    if (load.access == Access::general) return load_general(load, t, thread, r);
    const std::byte* from = load.from + static_cast<std::size_t>(t.element) * size_of(load.dtype);
    if (load.direct) {
      r[load.to] = reinterpret_cast<const float*>(from);
    } else {
      float* to = buffer(thread, load.to);
      kernels().load(load.dtype, from, to, t.count);
      r[load.to] = to;
    }
  }

  void load_column_part(const TileLoad& load, const Tile& t, int thread, const float** r) {
    const std::byte* from = load.from + static_cast<std::size_t>(t.column) * size_of(load.dtype);
    if (load.dtype == DType::f32) {
      r[load.to] = reinterpret_cast<const float*>(from);
      return;
    }
    float* to = buffer(thread, load.to);
    kernels().load(load.dtype, from, to, t.width);
    r[load.to] = to;
  }

  /// Any broadcast: row by row, the row's index taken apart into the space's axes.
  void load_general(const TileLoad& load, const Tile& t, int thread, const float** r) {
    float* to = buffer(thread, load.to);
    const int last = load.extents.rank() - 1;
    const std::int64_t step = load.strides[static_cast<std::size_t>(last)];
    for (std::int64_t row = 0; row < t.rows; ++row) {
      std::int64_t index = t.row + row, offset = t.column * step;
      for (int axis = last - 1; axis >= 0; --axis) {
        offset += index % load.extents[axis] * load.strides[static_cast<std::size_t>(axis)];
        index /= load.extents[axis];
      }
      const std::byte* from = load.from + static_cast<std::size_t>(offset) * size_of(load.dtype);
      float* part = to + row * t.width;
      kernels().load(load.dtype, from, part, step == 0 ? 1 : t.width);
      if (step == 0) std::fill_n(part, t.width, part[0]);
    }
    r[load.to] = to;
  }

  void reduce(const TileReduction& reduction, const Tile& t, int thread, const float** r) {
    const Kernels& k = kernels();
    float* sums = workspace(thread) + reduction.offset;
    const float* x = r[reduction.from];
    if (reduction.kind == ItemKind::total_sum) {
      add_double(sums, k.sum(x, t.count));
    } else if (reduction.kind == ItemKind::column_sum) {
      k.column_sums(x, t.rows, t.width, sums + t.column);
    } else {
      const Moments m = moments(reduction, thread);
      float* shift = m.shift + t.column;
      if (seen(thread)[t.block] == 0) std::copy_n(x, t.width, shift);
      k.column_moments(x, t.rows, t.width, shift, m.first + t.column, m.second + t.column);
    }
  }

  void finish(const TileReduction& reduction) {
    if (reduction.kind == ItemKind::total_sum) {
      double total = 0;
      for (int thread = 0; thread < threads_; ++thread)
        total += double_at(workspace(thread) + reduction.offset);
      const auto result = static_cast<float>(total);
      kernels().store(reduction.dtype, &result, reduction.results[0], 1);
      return;
    }
    team_.split(reduction.columns, 32 * threads_, [&](Range range) {
      for (std::int64_t c = range.begin; c < range.end; ++c)
        reduction.kind == ItemKind::column_sum ? finish_sum(reduction, c) : finish_moments(reduction, c);
    });
  }

  void put(const TileReduction& reduction, int result, std::int64_t column, double value) const {
    const auto number = static_cast<float>(value);
    kernels().store(reduction.dtype, &number,
                    reduction.results[result] + static_cast<std::size_t>(column) * size_of(reduction.dtype),
                    1);
  }

  void finish_sum(const TileReduction& reduction, std::int64_t column) const {
    double total = 0;
    for (int thread = 0; thread < threads_; ++thread)
      total += workspace(thread)[reduction.offset + static_cast<std::size_t>(column)];
    put(reduction, 0, column, total);
  }

  /// Chan, Golub and LeVeque 1979: the moments of a union.
  void finish_moments(const TileReduction& reduction, std::int64_t column) const {
    double count = 0, mean = 0, square = 0;
    const std::int64_t block = tile_rows_ > 0 ? 0 : column / tile_;
    for (int thread = 0; thread < threads_; ++thread) {
      const Moments m = moments(reduction, thread);
      const double n = seen(thread)[block];
      if (n == 0) continue;
      const double first = m.first[column], second = m.second[column];
      const double part_mean = static_cast<double>(m.shift[column]) + first / n;
      const double part_square = second - first * first / n;
      const double delta = part_mean - mean, all = count + n;
      mean += delta * n / all;
      square += part_square + delta * delta * count * n / all;
      count = all;
    }
    put(reduction, 0, column, mean);
    put(reduction, 1, column, square / count < 0 ? 0 : square / count);
  }

  TileProgram program_;
  const Team& team_;
  std::int64_t tile_ = 0, tile_rows_ = 0, rows_ = 0, width_ = 0, blocks_ = 1, tiles_ = 0, stride_ = 0;
  int threads_ = 1;
  std::size_t per_thread_ = 0, seen_offset_ = 0;
  float* scratch_ = nullptr;
  std::vector<const float*> pointers_;
};

}  // namespace

StepPointer make_tile_step(const StepContext& context, const Cluster& cluster) {
  return std::make_unique<TileStep>(compile_tiles(context.program, context.addresses, cluster), context.team);
}

}  // namespace halfling::cpu
