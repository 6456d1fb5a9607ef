// SPDX-License-Identifier: Apache-2.0
// Runs a tile program: its instructions are uploaded once; a run is one launch, and a second one where it
// reduces.
#include <algorithm>
#include <cstring>

#include "device_buffer.hpp"
#include "program/tile_program.hpp"
#include "step.hpp"
#include "tile_code.hpp"

namespace halfling::cudnn {
namespace {

constexpr std::size_t most_block_bytes = 48 * 1024;  // of shared memory, on every device
constexpr std::int64_t longest_sum = 512;            // rows that a thread adds up in f32

std::int64_t ceil_divide(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

/// As many threads as their registers leave room for.
std::int64_t threads_for(int registers) {
  std::int64_t threads = most_tile_threads;
  while (tile_shared_bytes(registers, static_cast<int>(threads)) > most_block_bytes) threads /= 2;
  return threads;
}

/// Without columns, a row is what a block of threads takes at once.
TileGrid make_grid(const TileProgram& program, const TileCode& code, int multiprocessors) {
  const std::int64_t threads = threads_for(code.registers);
  TileGrid grid;
  grid.elements = program.elements;
  grid.width = program.columns != 0 ? program.columns : std::min(program.elements, threads * chunk);
  grid.rows = ceil_divide(grid.elements, grid.width);
  const std::int64_t chunks = ceil_divide(grid.width, chunk);
  grid.column_blocks = ceil_divide(chunks, threads);
  grid.across = static_cast<int>(ceil_divide(chunks, grid.column_blocks));
  grid.down = static_cast<int>(std::min(threads / grid.across, grid.rows));
  const bool reduces = code.accumulators > 0;
  const std::int64_t row_blocks = ceil_divide(grid.rows, grid.down);
  std::int64_t wanted = multiprocessors * (reduces ? 8 : 32) / grid.column_blocks;
  if (reduces) wanted = std::max(wanted, ceil_divide(row_blocks, longest_sum));
  grid.row_blocks = std::clamp<std::int64_t>(wanted, 1, row_blocks);
  return grid;
}

class TileStep final : public Step {
 public:
  TileStep(const TileProgram& program, const Libraries& libraries) {
    TileCode code = assemble(program);
    loop_.grid = make_grid(program, code, libraries.multiprocessors);
    loop_.pattern = find_pattern(code.instructions.data(), static_cast<int>(code.instructions.size()));
    loop_.registers = code.registers;
    loop_.accumulators = code.accumulators;
    for (TileResult& result : code.results) place(result);
    upload(code, libraries.stream);
  }

  void run(cudaStream_t stream) override { run_tiles(stream, loop_); }
  std::size_t scratch_bytes() const override { return static_cast<std::size_t>(partials_) * sizeof(double); }
  void use_scratch(std::byte* scratch) override { loop_.partials = reinterpret_cast<double*>(scratch); }
  std::size_t device_bytes() const override { return memory_.size(); }
  std::string implementation() const override {
    return std::string(loop_.pattern == no_pattern ? "tiles, " : "compiled tiles, ") +
           std::to_string(loop_.instruction_count) + " instructions";
  }

 private:
  void place(TileResult& result) {
    const std::int64_t blocks = loop_.grid.row_blocks;
    const std::int64_t parts = result.kind == Reduction::total ? blocks * loop_.grid.column_blocks : blocks;
    result.partials = partials_;
    partials_ += result.columns * parts * result.part;
    loop_.columns += result.columns;
    loop_.most_parts = std::max(loop_.most_parts, parts);
  }

  void upload(const TileCode& code, cudaStream_t stream) {
    std::vector<std::byte> bytes;
    const auto append = [&bytes](const auto& list) {
      const std::size_t offset = bytes.size(), size = list.size() * sizeof(list[0]);
      bytes.resize(offset + (size + 15) / 16 * 16);
      if (size > 0) std::memcpy(bytes.data() + offset, list.data(), size);
      return offset;
    };
    const std::size_t instructions = append(code.instructions);
    const std::size_t views = append(code.views), results = append(code.results);
    memory_ = DeviceBuffer(bytes.size());
    check(cudaMemcpyAsync(memory_.data(), bytes.data(), bytes.size(), cudaMemcpyHostToDevice, stream),
          "cudaMemcpyAsync");
    check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    loop_.instructions = reinterpret_cast<const TileInstruction*>(memory_.data() + instructions);
    loop_.views = reinterpret_cast<const TileView*>(memory_.data() + views);
    loop_.results = reinterpret_cast<const TileResult*>(memory_.data() + results);
    loop_.instruction_count = static_cast<int>(code.instructions.size());
    loop_.result_count = static_cast<int>(code.results.size());
  }

  DeviceBuffer memory_;
  TileLoop loop_;
  std::int64_t partials_ = 0;
};

}  // namespace

StepPointer make_tile_step(const StepContext& context, const Cluster& cluster) {
  return std::make_unique<TileStep>(compile_tiles(context.program, context.addresses, cluster),
                                    context.libraries);
}

}  // namespace halfling::cudnn
