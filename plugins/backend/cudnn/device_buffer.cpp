// SPDX-License-Identifier: Apache-2.0
#include "device_buffer.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>

namespace halfling::cudnn {
namespace {

/// How much memory is held; a buffer that was released does not know its size.
class Account {
 public:
  void add(const void* memory, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    sizes_[memory] = bytes;
    held_ += bytes;
    peak_ = std::max(peak_, held_);
  }
  void remove(const void* memory) {
    const std::lock_guard lock(mutex_);
    const auto found = sizes_.find(memory);
    if (found == sizes_.end()) return;
    held_ -= found->second;
    sizes_.erase(found);
  }
  std::uint64_t peak() {
    const std::lock_guard lock(mutex_);
    return peak_;
  }
  void begin_peak() {
    const std::lock_guard lock(mutex_);
    peak_ = held_;
  }

 private:
  std::mutex mutex_;
  std::map<const void*, std::size_t> sizes_;
  std::uint64_t held_ = 0, peak_ = 0;
};

Account& account() {
  static Account account;
  return account;
}

}  // namespace

cudaError_t free_device(void* memory) {
  account().remove(memory);
  return cudaFree(memory);
}

std::uint64_t peak_device_bytes() {
  return account().peak();
}

void begin_peak() {
  account().begin_peak();
}

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
  memory_ = Owner<void*, free_device>(memory);
  account().add(memory, bytes);
  check(cudaMemset(memory, 0, bytes), "cudaMemset");
  // Streams that do not wait for the default stream could else come first.
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}

void DeviceBuffer::spoil() {
  if (size() == 0) return;
  check(cudaMemset(data(), 0xff, size()), "cudaMemset");
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
