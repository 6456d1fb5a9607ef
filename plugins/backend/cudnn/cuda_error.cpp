// SPDX-License-Identifier: Apache-2.0
#include "cuda_error.hpp"

#include <fmt/format.h>

namespace halfling::cudnn {
namespace {

ErrorDetails describe_shortage(const char* call, std::uint64_t bytes, std::uint64_t free) {
  return {.what = "the device has not enough memory",
          .where = fmt::format("backend cudnn, {}", call),
          .got = fmt::format("{} bytes free", free),
          .expected = bytes == 0 ? "" : fmt::format("{} bytes", bytes),
          .hint = "a smaller input.batch_size needs less"};
}

}  // namespace

OutOfMemory::OutOfMemory(const char* call, std::uint64_t bytes, std::uint64_t free)
    : Error(describe_shortage(call, bytes, free)), bytes_(bytes), free_(free) {}

void throw_out_of_memory(const char* call, std::uint64_t bytes) {
  ignore(cudaGetLastError());
  std::size_t free = 0, total = 0;
  if (cudaMemGetInfo(&free, &total) != cudaSuccess) free = 0;
  throw OutOfMemory(call, bytes, free);
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
