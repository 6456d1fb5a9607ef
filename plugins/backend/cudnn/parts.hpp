// SPDX-License-Identifier: Apache-2.0
// One launch over many tensors: each is cut into parts of `part_elements`, and each part is a block's work.
// The list of tensors lies on the device; a tensor says which block has its first part.
#pragma once

#include "launch.hpp"

namespace halfling::cudnn {

inline constexpr std::int64_t part_elements = 4096;

/// Which of `count` tensors, in the order of their `first_block`, a block works on.
template <class Tensor>
HALFLING_DEVICE Tensor owner_of(const Tensor* tensors, int count, std::int64_t block) {
  int low = 0, high = count;
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    (tensors[middle].first_block <= block ? low : high) = middle;
  }
  return tensors[low];
}

/// The elements of a tensor that a block works on.
struct Part {
  std::int64_t begin, count;
};
template <class Tensor>
HALFLING_DEVICE Part part_of(const Tensor& tensor, std::int64_t block) {
  const std::int64_t begin = (block - tensor.first_block) * part_elements, left = tensor.elements - begin;
  return {begin, left < part_elements ? left : part_elements};
}

/// Shares a part among a block's threads: calls four(i) for elements i to i + 3, and one(i) for what is left.
template <class CallFour, class CallOne>
HALFLING_DEVICE void for_part(const Part& part, int thread, int threads, const CallFour& four,
                              const CallOne& one) {
  const std::int64_t whole = part.count / 4 * 4;
  for (std::int64_t i = 4 * thread; i < whole; i += 4 * threads) four(part.begin + i);
  for (std::int64_t i = whole + thread; i < part.count; i += threads) one(part.begin + i);
}

}  // namespace halfling::cudnn
