// SPDX-License-Identifier: Apache-2.0
// Reductions within a block, in an order that depends on nothing but the number of threads.
#pragma once

#include "launch.hpp"

namespace halfling::cudnn {

/// Combines rows of `lanes` neighbours: afterwards part[lane] is the combination of all part[lane + i lanes].
/// part has an entry for every thread, in shared memory; threads and lanes are powers of two.
template <class T, class Combine>
HALFLING_DEVICE void reduce_block(const ThreadBlock& block, T* part, int lanes, const Combine& combine) {
  for (int half = block.threads / 2; half >= lanes; half /= 2)
    block.each([&](int thread) {
      if (thread < half) part[thread] = combine(part[thread], part[thread + half]);
    });
}

}  // namespace halfling::cudnn
