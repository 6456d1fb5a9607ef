// SPDX-License-Identifier: Apache-2.0
#include "device_memory.hpp"

namespace halfling::cudnn {

void upload(const void* from, void* to, std::size_t bytes) {
  check(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
  // Small copies may return before they are done, and the stream that runs steps waits for no other.
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}

program::Block DeviceMemory::allocate(std::size_t bytes) const {
  if (bytes == 0) return {};
  DeviceBuffer buffer(bytes);
  return {buffer.release(), bytes, [](std::byte* memory) { ignore(free_device(memory)); }};
}

}  // namespace halfling::cudnn
