// SPDX-License-Identifier: Apache-2.0
// The numbers of halfling/random.hpp on the device.
#pragma once

#include <cuda_runtime_api.h>

#include "program/work.hpp"

namespace halfling::cudnn {

void launch_random(cudaStream_t stream, const program::Draw& draw);
void launch_random(cudaStream_t stream, const program::Advance& advance);

}  // namespace halfling::cudnn
