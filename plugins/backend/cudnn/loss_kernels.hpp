// SPDX-License-Identifier: Apache-2.0
// Softmax and its cross entropy over rows of a few classes.
#pragma once

#include <cuda_runtime_api.h>

#include "program/work.hpp"

namespace halfling::cudnn {

void launch_softmax(cudaStream_t stream, const program::Softmax& softmax);

}  // namespace halfling::cudnn
