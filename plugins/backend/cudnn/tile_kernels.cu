// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "tile_run.hpp"

namespace halfling::cudnn {
namespace {

template <class Pattern>
struct RunTiles {
  static constexpr int threads = most_tile_threads, resident_blocks = 5;

  TileLoop loop;

  HALFLING_DEVICE void operator()(const ThreadBlock& block) const {
    const TileGrid& grid = loop.grid;
    const std::int64_t column_block = block.index % grid.column_blocks;
    const std::int64_t row_block = block.index / grid.column_blocks;
    block.each([&](int thread) { run_rows(block, thread, column_block, row_block); });
    for (int i = 0; i < loop.result_count; ++i) {
      const TileResult& result = loop.results[i];
      if (result.kind == Reduction::total)
        total(block, result);
      else
        block.each([&](int thread) { join_rows(block, thread, result, column_block, row_block); });
    }
  }

 private:
  HALFLING_DEVICE double* sums(const ThreadBlock& block) const { return block.shared<double>(); }
  HALFLING_DEVICE Registers registers(const ThreadBlock& block, int thread) const {
    return {reinterpret_cast<float*>(sums(block) + block.threads), block.threads, thread};
  }

  HALFLING_DEVICE void run_rows(const ThreadBlock& block, int thread, std::int64_t column_block,
                                std::int64_t row_block) const {
    const TileGrid& grid = loop.grid;
    const Registers mine = registers(block, thread);
    for (int r = loop.registers - loop.accumulators; r < loop.registers; ++r)
      for (int i = 0; i < chunk; ++i) mine.at(r, i) = 0;
    const std::int64_t column = (column_block * grid.across + thread % grid.across) * chunk;
    const std::int64_t first = row_block * grid.down + thread / grid.across;
    Values accumulator{};
    for (std::int64_t row = first; row < grid.rows; row += grid.row_blocks * grid.down) {
      const std::int64_t element = row * grid.width + column;
      const std::int64_t in_row = grid.width - column, in_all = grid.elements - element;
      const std::int64_t left = in_row < in_all ? in_row : in_all;
      if (left <= 0) break;
      const Chunk at{row, column, element, static_cast<int>(left < chunk ? left : chunk), row == first};
      if constexpr (Pattern::size == 0)
        for (int i = 0; i < loop.instruction_count; ++i)
          run<AnyLine>(loop.instructions[i], loop.views, at, accumulator, mine);
      else
        run_lines(std::make_integer_sequence<int, Pattern::size>(), at, accumulator, mine);
    }
  }

  template <int... numbers>
  HALFLING_DEVICE void run_lines(std::integer_sequence<int, numbers...>, const Chunk& at, Values& accumulator,
                                 const Registers& mine) const {
    (run<KnownLine<Pattern, numbers>>(loop.instructions[numbers], loop.views, at, accumulator, mine), ...);
  }

  /// Adds up all that the block's threads found, as a tree.
  HALFLING_DEVICE void total(const ThreadBlock& block, const TileResult& result) const {
    double* part = sums(block);
    block.each([&](int thread) {
      const Registers mine = registers(block, thread);
      double sum = 0;
      for (int i = 0; i < chunk; ++i) sum += mine.at(result.from, i);
      part[thread] = sum;
    });
    for (int n = block.threads; n > 1; n = (n + 1) / 2)
      block.each([&](int thread) {
        if (thread < n / 2) part[thread] += part[thread + (n + 1) / 2];
      });
    block.each([&](int thread) {
      if (thread == 0) loop.partials[result.partials + block.index] = part[0];
    });
  }

  /// Each thread takes columns, and adds up what the threads of its rows found.
  HALFLING_DEVICE void join_rows(const ThreadBlock& block, int thread, const TileResult& result,
                                 std::int64_t column_block, std::int64_t row_block) const {
    const TileGrid& grid = loop.grid;
    for (int c = thread; c < grid.across * chunk; c += block.threads) {
      const std::int64_t column = column_block * grid.across * chunk + c;
      if (column >= grid.width) return;
      double* to = loop.partials + result.partials + (column * grid.row_blocks + row_block) * result.part;
      if (result.kind == Reduction::column_sum)
        join_sums(registers(block, c / chunk), result, c % chunk, to);
      else
        join_moments(registers(block, c / chunk), result, c % chunk, row_block, to);
    }
  }

  HALFLING_DEVICE void join_sums(Registers of, const TileResult& result, int i, double* to) const {
    double sum = 0;
    for (int y = 0; y < loop.grid.down; ++y, of.thread += loop.grid.across) sum += of.at(result.from, i);
    *to = sum;
  }

  /// The value of two registers; see add_exactly.
  HALFLING_DEVICE static double both(const Registers& of, int high, int i) {
    return static_cast<double>(of.at(high, i)) + static_cast<double>(of.at(high + 1, i));
  }

  HALFLING_DEVICE std::int64_t rows_of(std::int64_t first) const {
    const TileGrid& grid = loop.grid;
    const std::int64_t step = grid.row_blocks * grid.down;
    return first < grid.rows ? (grid.rows - first - 1) / step + 1 : 0;
  }

  /// With d the distance of a thread's shift s from that of the first one, sums around s become sums around
  /// the first: sum (x - s + d) = first + n d, sum (x - s + d)^2 = second + 2 d first + n d^2.
  HALFLING_DEVICE void join_moments(Registers of, const TileResult& result, int i, std::int64_t row_block,
                                    double* to) const {
    const double shift = of.at(result.from, i);
    double rows = 0, first = 0, second = 0;
    for (int y = 0; y < loop.grid.down; ++y, of.thread += loop.grid.across) {
      const auto n = static_cast<double>(rows_of(row_block * loop.grid.down + y));
      if (n == 0) break;
      const double d = of.at(result.from, i) - shift;
      const double sum = both(of, result.from + 1, i), squares = both(of, result.from + 3, i);
      rows += n;
      first += sum + n * d;
      second += squares + 2 * d * sum + n * d * d;
    }
    to[0] = rows;
    to[1] = shift + first / rows;
    to[2] = second - first * first / rows;
  }
};

/// A block for each column of each result: adds up what the blocks of the loop found.
struct FinishTiles {
  TileLoop loop;

  HALFLING_DEVICE void operator()(const ThreadBlock& block) const {
    const TileResult* result = loop.results;
    std::int64_t column = block.index;
    for (; column >= result->columns; ++result) column -= result->columns;
    const std::int64_t parts = parts_of(*result);
    const double* from = loop.partials + result->partials + column * parts * result->part;
    double* first = block.shared<double>();
    double* second = first + block.threads;
    block.each([&](int thread) {
      first[thread] = second[thread] = 0;
      for (std::int64_t i = thread; i < parts; i += block.threads)
        if (result->kind == Reduction::column_moments)
          add_moments(from, i, first[thread], second[thread]);
        else
          first[thread] += from[i];
    });
    for (int n = block.threads; n > 1; n = (n + 1) / 2)
      block.each([&](int thread) {
        if (thread >= n / 2) return;
        first[thread] += first[thread + (n + 1) / 2];
        second[thread] += second[thread + (n + 1) / 2];
      });
    block.each([&](int thread) {
      if (thread == 0) finish(*result, column, from, first[0], second[0]);
    });
  }

 private:
  HALFLING_DEVICE std::int64_t parts_of(const TileResult& result) const {
    return result.kind == Reduction::total ? loop.grid.row_blocks * loop.grid.column_blocks
                                           : loop.grid.row_blocks;
  }

  /// Around the mean of the first block, which is near enough to that of all.
  HALFLING_DEVICE static void add_moments(const double* from, std::int64_t i, double& first, double& second) {
    const double n = from[3 * i], d = from[3 * i + 1] - from[1];
    first += n * d;
    second += from[3 * i + 2] + n * d * d;
  }

  HALFLING_DEVICE void finish(const TileResult& result, std::int64_t column, const double* from, double first,
                              double second) const {
    double value = first;
    if (result.kind == Reduction::column_moments) {
      const auto n = static_cast<double>(loop.grid.rows);
      const double variance = (second - first * first / n) / n;
      value = from[1] + first / n;
      store_one(result.dtype, static_cast<float>(variance < 0 ? 0 : variance), result.results[1], column);
    }
    store_one(result.dtype, static_cast<float>(value), result.results[0], column);
  }
};

template <class Pattern>
void launch_loop(cudaStream_t stream, const TileLoop& loop) {
  const int threads = loop.grid.across * loop.grid.down;
  launch_blocks(stream, loop.grid.column_blocks * loop.grid.row_blocks, threads,
                tile_shared_bytes(loop.registers, threads), RunTiles<Pattern>{loop});
}

template <class... Pattern>
int find(PatternList<Pattern...>, const TileInstruction* instructions, int count) {
  int found = no_pattern, index = 0;
  ((found = found == no_pattern && matches<Pattern>(instructions, count) ? index : found, ++index), ...);
  return found;
}

template <class... Pattern>
void launch_known(PatternList<Pattern...>, cudaStream_t stream, const TileLoop& loop) {
  int index = 0;
  ((index++ == loop.pattern ? launch_loop<Pattern>(stream, loop) : void()), ...);
}

}  // namespace

int find_pattern(const TileInstruction* instructions, int count) {
  return find(TilePatterns{}, instructions, count);
}

void run_tiles(cudaStream_t stream, const TileLoop& loop) {
  if (loop.pattern == no_pattern)
    launch_loop<AnyPattern>(stream, loop);
  else
    launch_known(TilePatterns{}, stream, loop);
  int threads = 32;
  while (threads < 128 && threads < loop.most_parts) threads *= 2;
  launch_blocks(stream, loop.columns, threads, 2 * sizeof(double) * static_cast<std::size_t>(threads),
                FinishTiles{loop});
}

}  // namespace halfling::cudnn
