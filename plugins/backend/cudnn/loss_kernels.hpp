// SPDX-License-Identifier: Apache-2.0
// Softmax and its cross entropy over rows of a few classes.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "halfling/dtype.hpp"

namespace halfling::cudnn {

struct LossArguments {
  const void* logits;  ///< [rows, classes]
  void* to;            ///< softmax: [rows, classes]; cross entropy: [rows]
  DType dtype;         ///< of both: f32, f16 or bf16
  std::int64_t rows, classes;
};

void launch_softmax(cudaStream_t stream, const LossArguments& arguments);
/// NaN where a label is none of the classes.
void launch_softmax_cross_entropy(cudaStream_t stream, const LossArguments& arguments,
                                  const std::int32_t* labels);

}  // namespace halfling::cudnn
