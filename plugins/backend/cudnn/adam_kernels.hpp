// SPDX-License-Identifier: Apache-2.0
// Adam for any number of parameters in one launch. Skip, step, scale and learning rate are read on the
// device.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "halfling/dtype.hpp"

namespace halfling::cudnn {

/// A parameter and what belongs to it. All on the device, aligned to 16 bytes.
struct AdamTensor {
  float* parameter;
  float* mean;
  float* variance;
  const void* gradient;  ///< f32, f16 or bf16
  void* half;            ///< gets the new parameter, in f16 or bf16; or nullptr
  DType gradient_type;
  DType half_type;
  std::int64_t elements;
  std::int64_t first_block = 0;
};

struct AdamGroup {
  const AdamTensor* tensors;  ///< as in parts.hpp
  int count;
  const std::int32_t* step;
  const float* inverse_scale;
  const std::uint8_t* skip;
  const float* learning_rate;
  double beta1, beta2, epsilon;
};

void launch_adam(cudaStream_t stream, const AdamGroup& group, std::int64_t blocks);

}  // namespace halfling::cudnn
