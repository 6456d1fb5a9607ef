// SPDX-License-Identifier: Apache-2.0
// Reductions that no tile loop does.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "halfling/dtype.hpp"
#include "halfling/op.hpp"

namespace halfling::cudnn {

/// Extents and strides, in elements, of some axes of an array, outermost first.
struct AxisList {
  int count = 0;
  std::int64_t extents[Shape::max_rank] = {};
  std::int64_t strides[Shape::max_rank] = {};
};

struct SumArguments {
  const void* from;
  void* to;
  DType dtype;  ///< of both: f32, f16 or bf16
  AxisList kept, summed;
  std::int64_t results, terms;  ///< elements of the kept and of the summed axes
};
void launch_sum(cudaStream_t stream, const SumArguments& arguments);

/// One of the tensors to search; on the device, aligned to 16 bytes.
struct SearchedTensor {
  const void* from;
  DType dtype;  ///< f32, f16 or bf16
  std::int64_t elements;
  std::int64_t first_block = 0;
};
/// *found, which is 0, becomes 1 where an element is infinite or NaN. `tensors` as in parts.hpp.
void launch_search(cudaStream_t stream, const SearchedTensor* tensors, int count, std::int64_t blocks,
                   std::uint8_t* found);

/// Adds to counts [histogram_counts], which are 0.
void launch_histogram(cudaStream_t stream, DType dtype, const void* from, std::int64_t elements,
                      std::int32_t* counts);

}  // namespace halfling::cudnn
