// SPDX-License-Identifier: Apache-2.0
#include "cuda_error.hpp"

#include <fmt/format.h>

namespace halfling::cudnn {

void throw_out_of_memory(const char* call, std::uint64_t bytes) {
  ignore(cudaGetLastError());
  std::size_t free = 0, total = 0;
  if (cudaMemGetInfo(&free, &total) != cudaSuccess) free = 0;
  throw OutOfMemory(fmt::format("backend cudnn, {}", call), bytes, free);
}

void check_failed(cudaError_t status, const char* call) {
  ignore(cudaGetLastError());  // or the next launch would find it
  if (status == cudaErrorMemoryAllocation) throw_out_of_memory(call, 0);
  throw Error({.what = "a call of the CUDA runtime failed",
               .where = fmt::format("backend cudnn, {}", call),
               .got = fmt::format("{} ({}): {}", cudaGetErrorName(status), static_cast<int>(status),
                                  cudaGetErrorString(status))});
}

}  // namespace halfling::cudnn
