// SPDX-License-Identifier: Apache-2.0
// Copies and fills. A pointer must lie on the side that the direction says.
#include <cuda_runtime_api.h>

#include <cstring>
#include <vector>

#include "errors.hpp"
#include "memory.hpp"
#include "streams.hpp"

namespace emulation {
namespace {

struct Copy {
  void* to;
  const void* from;
  std::size_t bytes;
  bool to_device, from_device;

  void operator()() const { std::memcpy(to, from, bytes); }
};

/// Addresses that are none of the device's are the host's.
bool is_valid(const Copy& copy, cudaMemcpyKind kind) {
  switch (kind) {
    case cudaMemcpyHostToDevice:
      return copy.to_device && !copy.from_device;
    case cudaMemcpyDeviceToHost:
      return !copy.to_device && copy.from_device;
    case cudaMemcpyDeviceToDevice:
      return copy.to_device && copy.from_device;
    case cudaMemcpyDefault:
      return copy.to_device || copy.from_device;
    default:
      return false;
  }
}

/// Memory that is not pinned: the source is read before the call returns, and a target of the host is
/// written.
cudaError_t copy_pageable(const Copy& copy, CUstream_st& stream) {
  if (const cudaError_t status = refuse_while_capturing(stream); status != cudaSuccess) return status;
  if (copy.from_device) {
    enqueue(stream, copy);
    finish(stream);
  } else {
    const auto* from = static_cast<const std::byte*>(copy.from);
    enqueue(stream, [to = copy.to, staged = std::vector<std::byte>(from, from + copy.bytes)] {
      std::memcpy(to, staged.data(), staged.size());
    });
  }
  return cudaSuccess;
}

cudaError_t copy_async(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                       cudaStream_t handle) {
  CUstream_st* stream = find_stream(handle);
  if (stream == nullptr) return cudaErrorInvalidResourceHandle;
  if (bytes == 0) return cudaSuccess;
  const Copy copy{to, from, bytes, on_device(to, bytes), on_device(from, bytes)};
  if (!is_valid(copy, kind)) return cudaErrorInvalidValue;
  const bool pageable = (!copy.to_device && !on_pinned_host(to, bytes)) ||  //
                        (!copy.from_device && !on_pinned_host(from, bytes));
  if (pageable) return copy_pageable(copy, *stream);
  enqueue(*stream, copy);
  if (kind == cudaMemcpyHostToDevice) finish_what_can_run(*stream);  // as early as it may
  return cudaSuccess;
}

}  // namespace
}  // namespace emulation

using namespace emulation;

extern "C" {

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return report(copy_async(to, from, bytes, kind, stream));
}

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  if (const cudaError_t status = refuse_while_capturing(); status != cudaSuccess) return report(status);
  if (const cudaError_t status = copy_async(to, from, bytes, kind, nullptr); status != cudaSuccess)
    return report(status);
  finish(*find_stream(nullptr));
  return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t handle) {
  CUstream_st* stream = find_stream(handle);
  if (stream == nullptr) return report(cudaErrorInvalidResourceHandle);
  if (bytes == 0) return cudaSuccess;
  if (!on_device(to, bytes)) return report(cudaErrorInvalidValue);
  enqueue(*stream, [=] { std::memset(to, value, bytes); });
  return cudaSuccess;
}

cudaError_t cudaMemset(void* to, int value, size_t bytes) {  // does not wait for the device
  if (const cudaError_t status = refuse_while_capturing(); status != cudaSuccess) return report(status);
  return cudaMemsetAsync(to, value, bytes, nullptr);
}

}  // extern "C"
