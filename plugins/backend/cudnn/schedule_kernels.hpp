// SPDX-License-Identifier: Apache-2.0
// A scheduled learning rate on the device: one thread.
#pragma once

#include <cuda_runtime_api.h>

#include "program/work.hpp"

namespace halfling::cudnn {

void launch_schedule(cudaStream_t stream, const program::Scheduled& rate);

}  // namespace halfling::cudnn
