// SPDX-License-Identifier: Apache-2.0
// Kernels that carry values into and out of an iteration.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "halfling/dtype.hpp"

namespace halfling::cudnn {

/// Rounds f32 to f16 or bf16.
void launch_convert(cudaStream_t stream, const float* from, void* to, DType dtype, std::int64_t elements);

/// A few bytes somewhere on the device, and where they go.
struct Piece {
  const unsigned char* from;
  std::int64_t offset;
  std::int64_t bytes;
};
/// Packs `count` pieces, a table on the device, into one piece of memory.
void launch_pack(cudaStream_t stream, const Piece* pieces, int count, unsigned char* to);

}  // namespace halfling::cudnn
