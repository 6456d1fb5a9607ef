// SPDX-License-Identifier: Apache-2.0
#include "device_buffer.hpp"

#include <cstring>

namespace halfling::cudnn {

Stream make_stream() {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  return Stream(stream);
}

Event make_event(bool timed) {
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, timed ? cudaEventDefault : cudaEventDisableTiming),
        "cudaEventCreateWithFlags");
  return Event(event);
}

DeviceBuffer::DeviceBuffer(std::size_t bytes) : bytes_(bytes) {
  if (bytes == 0) return;
  void* memory = nullptr;
  const cudaError_t status = cudaMalloc(&memory, bytes);
  if (status == cudaErrorMemoryAllocation) throw_out_of_memory("cudaMalloc", bytes);
  check(status, "cudaMalloc");
  memory_ = Owner<void*, cudaFree>(memory);
  check(cudaMemset(memory, 0, bytes), "cudaMemset");
  // Streams that do not wait for the default stream could else come first.
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}

PinnedBuffer::PinnedBuffer(std::size_t bytes) : bytes_(bytes) {
  if (bytes == 0) return;
  void* memory = nullptr;
  check(cudaMallocHost(&memory, bytes), "cudaMallocHost");
  memory_ = Owner<void*, cudaFreeHost>(memory);
  std::memset(memory, 0, bytes);
}

}  // namespace halfling::cudnn
