// SPDX-License-Identifier: Apache-2.0
// The numbers of halfling/random.hpp on the device.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace halfling::cudnn {

struct RandomOutput {
  const std::int32_t* counter;  ///< on the device, i32 [4]
  std::uint32_t stream;         ///< of the counter
  float* to;                    ///< on the device
  std::int64_t elements;
  /// Of an output [N, C, H, W], which lies N, H, W, C: H W and C. 0: as in logical order.
  std::int64_t pixels = 0, channels = 0;
};

/// In [low, high).
void launch_random_uniform(cudaStream_t stream, const RandomOutput& output, double low, double high);
void launch_random_normal(cudaStream_t stream, const RandomOutput& output, double mean, double deviation);
/// The counter of the next iteration. `from` and `to` may be the same.
void launch_advance_random(cudaStream_t stream, const std::int32_t* from, std::int32_t* to);

}  // namespace halfling::cudnn
