// SPDX-License-Identifier: Apache-2.0
// Owners of what the CUDA runtime hands out: memory, streams, events, graphs.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <utility>

#include "cuda_error.hpp"

namespace halfling::cudnn {

/// Owns a handle that `destroy` gives back.
template <class T, cudaError_t (*destroy)(T)>
class Owner {
 public:
  Owner() = default;
  explicit Owner(T handle) : handle_(handle) {}
  Owner(Owner&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Owner& operator=(Owner&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Owner() {
    if (handle_ != nullptr) ignore(destroy(handle_));
  }
  T get() const { return handle_; }
  T release() { return std::exchange(handle_, nullptr); }
  explicit operator bool() const { return handle_ != nullptr; }

 private:
  T handle_ = nullptr;
};

using Stream = Owner<cudaStream_t, cudaStreamDestroy>;
using Event = Owner<cudaEvent_t, cudaEventDestroy>;
using CudaGraph = Owner<cudaGraph_t, cudaGraphDestroy>;
using CudaGraphExec = Owner<cudaGraphExec_t, cudaGraphExecDestroy>;

/// A stream that does not wait for the default stream.
Stream make_stream();
/// An event for order only, or one that also takes the time.
Event make_event(bool timed = false);

/// Gives back memory of a DeviceBuffer.
cudaError_t free_device(void* memory);
/// The most bytes that all DeviceBuffers together held since the last begin_peak.
std::uint64_t peak_device_bytes();
void begin_peak();

/// Memory of the device, aligned to 256 bytes; zero once the constructor returns. Of 0 bytes: a null pointer.
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  explicit DeviceBuffer(std::size_t bytes);  ///< throws OutOfMemory
  std::byte* data() const { return static_cast<std::byte*>(memory_.get()); }
  std::size_t size() const { return memory_ ? bytes_ : 0; }
  std::byte* release() { return static_cast<std::byte*>(memory_.release()); }  ///< for free_device
  void spoil();  ///< fills it with NaN; nothing that uses it may be queued

 private:
  Owner<void*, free_device> memory_;
  std::size_t bytes_ = 0;
};

/// Memory of the host that the device reads and writes without a copy in between; zero at first.
class PinnedBuffer {
 public:
  PinnedBuffer() = default;
  explicit PinnedBuffer(std::size_t bytes);
  std::byte* data() const { return static_cast<std::byte*>(memory_.get()); }
  std::size_t size() const { return memory_ ? bytes_ : 0; }

 private:
  Owner<void*, cudaFreeHost> memory_;
  std::size_t bytes_ = 0;
};

}  // namespace halfling::cudnn
