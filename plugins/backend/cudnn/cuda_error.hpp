// SPDX-License-Identifier: Apache-2.0
// Failed calls of the CUDA runtime become halfling::Error. Light enough for kernels' files.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "halfling/error.hpp"

namespace halfling::cudnn {

/// The device had no memory left. Whoever knows the trial and its batch says more about it.
class OutOfMemory : public Error {
 public:
  /// `bytes`: how much was asked for; 0 where the failed call did not tell. `free`: how much was left.
  OutOfMemory(const char* call, std::uint64_t bytes, std::uint64_t free);
  std::uint64_t bytes() const { return bytes_; }
  std::uint64_t free() const { return free_; }

 private:
  std::uint64_t bytes_;
  std::uint64_t free_;
};

/// For a call that asked for `bytes` and got cudaErrorMemoryAllocation.
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
