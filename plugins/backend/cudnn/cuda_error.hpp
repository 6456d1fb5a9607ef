// SPDX-License-Identifier: Apache-2.0
// Failed calls of the CUDA runtime become halfling::Error. Light enough for kernels' files.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "halfling/error.hpp"

namespace halfling::cudnn {

/// Throws OutOfMemory for a call that asked for `bytes` (0: it does not tell) and got
/// cudaErrorMemoryAllocation.
[[noreturn]] void throw_out_of_memory(const char* call, std::uint64_t bytes);

/// Throws Error, or OutOfMemory, that names the call, CUDA's error and CUDA's own text. `call` lives as long
/// as the program.
[[noreturn]] void check_failed(cudaError_t status, const char* call);
inline void check(cudaError_t status, const char* call) {
  if (status != cudaSuccess) check_failed(status, call);
}

/// Where a failure cannot be thrown, as in a destructor.
inline void ignore(cudaError_t) {}

}  // namespace halfling::cudnn
