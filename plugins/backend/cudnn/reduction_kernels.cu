// SPDX-License-Identifier: Apache-2.0
#include "block_reduce.hpp"
#include "formats.hpp"
#include "parts.hpp"
#include "reduction_kernels.hpp"

namespace halfling::cudnn {
namespace {

constexpr int threads = 256;

HALFLING_DEVICE std::int64_t offset(const AxisList& axes, std::int64_t index) {
  std::int64_t result = 0;
  for (int axis = axes.count; axis-- > 0;) {
    result += index % axes.extents[axis] * axes.strides[axis];
    index /= axes.extents[axis];
  }
  return result;
}

/// Of f32, without the sign.
HALFLING_DEVICE std::uint32_t magnitude_bits(float value) {
  return __builtin_bit_cast(std::uint32_t, value) & 0x7fffffffu;
}

/// A block sums `lanes` neighbouring results, in double. Neighbours in memory are read by neighbouring
/// threads: lanes where the innermost axis is kept, terms where it is summed.
struct Sum {
  SumArguments a;
  int lanes;

  HALFLING_DEVICE void operator()(const ThreadBlock& block) const {
    auto* part = block.shared<double>();
    block.each([&](int thread) {
      const std::int64_t result = block.index * lanes + thread % lanes;
      double total = 0;
      if (result < a.results) {
        const std::int64_t base = offset(a.kept, result);
        for (std::int64_t term = thread / lanes; term < a.terms; term += block.threads / lanes)
          total += load(a.dtype, a.from, base + offset(a.summed, term));
      }
      part[thread] = total;
    });
    reduce_block(block, part, lanes, [](double x, double y) { return x + y; });
    block.each([&](int thread) {
      const std::int64_t result = block.index * lanes + thread;
      if (thread < lanes && result < a.results)
        store(a.dtype, static_cast<float>(part[thread]), a.to, result);
    });
  }
};

struct Search {
  const SearchedTensor* tensors;
  int count;
  std::uint8_t* found;

  HALFLING_DEVICE void operator()(const ThreadBlock& block) const {
    const SearchedTensor tensor = owner_of(tensors, count, block.index);
    const Part part = part_of(tensor, block.index);
    block.each([&](int thread) {
      std::uint32_t largest = 0;
      const auto see = [&](float value) {
        const std::uint32_t bits = magnitude_bits(value);
        if (bits > largest) largest = bits;
      };
      const auto see_four = [&](std::int64_t i) {
        const Four<float> four = load_four(tensor.dtype, tensor.from, i);
        for (const float value : four.at) see(value);
      };
      for_part(part, thread, block.threads, see_four,
               [&](std::int64_t i) { see(load(tensor.dtype, tensor.from, i)); });
      // Whoever writes writes the same; volatile makes that legal on the device.
      if (largest >= 0x7f800000u) *static_cast<volatile std::uint8_t*>(found) = 1;
    });
  }
};

/// The entry of exponent_histogram: by the bits as f32, which holds every element of a half format.
HALFLING_DEVICE int histogram_entry(std::uint32_t magnitude) {
  constexpr int below_normal = -126 - least_exponent;  // exponents of subnormals alone
  if (magnitude >= 0x00800000u) return below_normal + static_cast<int>(magnitude >> 23);
  int width = 0;
  for (; magnitude != 0; magnitude >>= 1) ++width;
  return width;
}

/// Counts in shared memory first.
struct Histogram {
  DType dtype;
  const void* from;
  std::int64_t elements, blocks;
  std::int32_t* counts;

  HALFLING_DEVICE void operator()(const ThreadBlock& block) const {
    auto* own = block.shared<std::int32_t>();
    block.each([&](int thread) {
      for (int i = thread; i < histogram_counts; i += block.threads) own[i] = 0;
    });
    block.each([&](int thread) {
      for (std::int64_t i = block.index * block.threads + thread; i < elements; i += blocks * block.threads)
        atomic_add(own + histogram_entry(magnitude_bits(load(dtype, from, i))), 1);
    });
    block.each([&](int thread) {
      for (int i = thread; i < histogram_counts; i += block.threads)
        if (own[i] != 0) atomic_add(counts + i, own[i]);
    });
  }
};

}  // namespace

void launch_sum(cudaStream_t stream, const SumArguments& arguments) {
  const AxisList& summed = arguments.summed;
  const bool sums_innermost = summed.count > 0 && summed.strides[summed.count - 1] == 1;
  const int lanes = sums_innermost ? 1 : 32;
  launch_blocks(stream, (arguments.results + lanes - 1) / lanes, threads, threads * sizeof(double),
                Sum{arguments, lanes});
}

void launch_search(cudaStream_t stream, const SearchedTensor* tensors, int count, std::int64_t blocks,
                   std::uint8_t* found) {
  launch_blocks(stream, blocks, threads, 0, Search{tensors, count, found});
}

void launch_histogram(cudaStream_t stream, DType dtype, const void* from, std::int64_t elements,
                      std::int32_t* counts) {
  constexpr std::int64_t per_block = 16 * threads, most = 1024;
  const std::int64_t wanted = (elements + per_block - 1) / per_block, blocks = wanted < most ? wanted : most;
  launch_blocks(stream, blocks, threads, histogram_counts * sizeof(std::int32_t),
                Histogram{dtype, from, elements, blocks, counts});
}

}  // namespace halfling::cudnn
