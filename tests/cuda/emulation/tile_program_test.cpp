// SPDX-License-Identifier: Apache-2.0
// Random fused loops on the emulated GPU, beside an evaluation that goes item by item through whole values.
#include <doctest/doctest.h>

#include <cmath>

#include "cudnn/step.hpp"
#include "cudnn/tile_code.hpp"
#include "random_loop.hpp"

namespace {

using namespace halfling;
using namespace halfling::program;
using namespace halfling::test;

void note(const RandomLoop& loop, Seen& seen) {
  const cudnn::TileCode code = cudnn::assemble(compile_tiles(loop.program, loop.addresses, loop.cluster));
  const std::size_t shared = cudnn::tile_shared_bytes(code.registers, cudnn::most_tile_threads);
  if (shared > std::size_t{48} * 1024) ++seen.few_threads;
  if (loop.cluster.columns % cudnn::chunk != 0) ++seen.ragged;
  if (loop.cluster.columns > cudnn::chunk * cudnn::most_tile_threads) ++seen.wide;
}

void run(const RandomLoop& loop, int multiprocessors) {
  const cudnn::Stream stream = cudnn::make_stream();
  cudnn::Libraries libraries;
  libraries.stream = stream.get();
  libraries.multiprocessors = multiprocessors;
  const Graph graph;
  const auto step = cudnn::make_tile_step({{graph, loop.program, loop.addresses}, libraries}, loop.cluster);
  const cudnn::DeviceBuffer scratch(step->scratch_bytes());
  step->use_scratch(scratch.data());
  step->run(stream.get());
  REQUIRE(cudaStreamSynchronize(stream.get()) == cudaSuccess);
}

std::vector<float> fetched(const RandomLoop& loop, Ref ref) {
  const Slot& slot = loop.program.slot(ref);
  std::vector<std::byte> bytes(bytes_of(slot));
  REQUIRE(cudaMemcpy(bytes.data(), loop.addresses[static_cast<std::size_t>(loop.program.place(ref))],
                     bytes.size(), cudaMemcpyDeviceToHost) == cudaSuccess);
  std::vector<float> result;
  for (std::size_t i = 0; i < bytes.size(); i += size_of(slot.dtype))
    result.push_back(decode(slot.dtype, bytes.data() + i));
  return result;
}

void check_result(const RandomLoop& loop, const Item& item) {
  const std::vector<float> got = fetched(loop, item.out[0]),
                           &expected = loop.values[static_cast<std::size_t>(item.out[0])];
  REQUIRE(got.size() == expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (got[i] == expected[i] || (std::isnan(got[i]) && std::isnan(expected[i]))) continue;
    CAPTURE(static_cast<int>(item.op));
    CAPTURE(i);
    REQUIRE(got[i] == expected[i]);
  }
}

void check_reduction(const RandomLoop& loop, const Item& item) {
  const std::vector<float>& x = loop.values[static_cast<std::size_t>(item.in[0])];
  const std::vector<float> first = fetched(loop, item.out[0]), second = fetched(loop, item.out.back());
  const std::size_t columns = first.size(), rows = x.size() / columns;
  const auto n = static_cast<double>(rows);
  for (std::size_t column = 0; column < columns; ++column) {
    double sum = 0, size = 0, squares = 0;
    for (std::size_t i = column; i < x.size(); i += columns) {
      sum += static_cast<double>(x[i]);
      size += std::abs(static_cast<double>(x[i]));
    }
    if (!(size < 1e15)) continue;  // not finite, or its square is too large for f32
    for (std::size_t i = column; i < x.size(); i += columns)
      squares += std::pow(static_cast<double>(x[i]) - sum / n, 2);
    CAPTURE(static_cast<int>(item.kind));
    CAPTURE(rows);
    CAPTURE(column);
    const bool is_mean = item.kind == ItemKind::column_moments;
    const double scale = is_mean ? n : 1;
    REQUIRE(std::abs(static_cast<double>(first[column]) - sum / scale) <= 1e-5 * size / scale);
    if (!is_mean) continue;
    REQUIRE(std::abs(static_cast<double>(second[column]) - squares / n) <= 1e-6 * squares / n);
  }
}

void check(const RandomLoop& loop) {
  for (const Item& item : loop.program.items)
    if (item.kind != ItemKind::tile)
      check_reduction(loop, item);
    else if (loop.program.place(item.out[0]) >= 0)
      check_result(loop, item);
}

}  // namespace

TEST_CASE("random loops give what their items say") {
  Seen seen;
  for (unsigned seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    const RandomLoop loop = random_loop(seed, seen);
    note(loop, seen);
    run(loop, 1 + static_cast<int>(seed % 5));
    check(loop);
  }
  CHECK(seen.ragged > 20);
  CHECK(seen.wide > 5);
  CHECK(seen.few_threads > 20);
  CHECK(seen.in_place > 100);
  CHECK(seen.views > 100);
  CHECK(seen.integers > 100);
  CHECK(seen.reductions > 500);
}
