// SPDX-License-Identifier: Apache-2.0
// A block of 32 threads takes a row; in f32.
#include <cmath>
#include <limits>

#include "block_reduce.hpp"
#include "formats.hpp"
#include "loss_kernels.hpp"

namespace halfling::cudnn {
namespace {

constexpr int threads = 32;
constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

/// The row's logits as their distances from the largest one; alike in every thread. A lone infinity is at no
/// distance from itself; of several that are the largest the distance has no limit: NaN.
struct RowSums {
  float largest, total;  ///< total: sum of exp(distance); of infinities how many are the largest

  HALFLING_DEVICE float distance(float logit) const {
    if (logit != largest) return logit - largest;
    const bool is_infinite = largest == infinity || largest == -infinity;
    return is_infinite && total != 1 ? not_a_number : 0.f;
  }
};

struct Row {
  program::Softmax a;

  HALFLING_DEVICE float logit(const ThreadBlock& block, std::int64_t k) const {
    return load(a.dtype, a.logits, block.index * a.classes + k);
  }

  HALFLING_DEVICE RowSums sums(const ThreadBlock& block) const {
    auto* largest = block.shared<float>();
    auto* total = largest + block.threads;
    block.each([&](int thread) {
      largest[thread] = -infinity;
      for (std::int64_t k = thread; k < a.classes; k += block.threads)
        largest[thread] = std::fmax(largest[thread], logit(block, k));
    });
    reduce_block(block, largest, 1, [](float x, float y) { return std::fmax(x, y); });
    block.each([&](int thread) {
      total[thread] = 0;
      for (std::int64_t k = thread; k < a.classes; k += block.threads)
        total[thread] += logit(block, k) == largest[0] ? 1.f : std::exp(logit(block, k) - largest[0]);
    });
    reduce_block(block, total, 1, [](float x, float y) { return x + y; });
    return {largest[0], total[0]};
  }
};

struct PutSoftmax {
  Row row;
  HALFLING_DEVICE void operator()(const ThreadBlock& block) const {
    const RowSums sums = row.sums(block);
    block.each([&](int thread) {
      for (std::int64_t k = thread; k < row.a.classes; k += block.threads)
        store(row.a.dtype, std::exp(sums.distance(row.logit(block, k))) / sums.total, row.a.to,
              block.index * row.a.classes + k);
    });
  }
};

struct PutCrossEntropy {
  Row row;
  HALFLING_DEVICE void operator()(const ThreadBlock& block) const {
    const RowSums sums = row.sums(block);
    block.each([&](int thread) {
      if (thread != 0) return;
      const std::int32_t label = row.a.labels[block.index];
      const bool valid = label >= 0 && label < row.a.classes;
      const float loss = valid ? std::log(sums.total) - sums.distance(row.logit(block, label)) : not_a_number;
      store(row.a.dtype, loss, row.a.to, block.index);
    });
  }
};

template <class Kernel>
void launch(cudaStream_t stream, const Kernel& kernel) {
  launch_blocks(stream, kernel.row.a.rows, threads, 2 * threads * sizeof(float), kernel);
}

}  // namespace

void launch_softmax(cudaStream_t stream, const program::Softmax& softmax) {
  if (softmax.labels == nullptr)
    launch(stream, PutSoftmax{{softmax}});
  else
    launch(stream, PutCrossEntropy{{softmax}});
}

}  // namespace halfling::cudnn
