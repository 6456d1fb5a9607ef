// SPDX-License-Identifier: Apache-2.0
#include "memory.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

#include "device.hpp"
#include "errors.hpp"
#include "handles.hpp"
#include "streams.hpp"

namespace emulation {
namespace {

constexpr std::size_t alignment = 256;

struct Memory {
  AddressTable<std::size_t> device, pinned;  // bytes of each block
  std::size_t used = 0;
  int users = 0;  // of the device's memory, now
};
Memory memory;

bool within(const AddressTable<std::size_t>& blocks, const void* start, std::size_t bytes) {
  const void* block = nullptr;
  const std::size_t* size = blocks.find_below(start, &block);
  if (size == nullptr) return false;
  const auto offset =
      static_cast<std::size_t>(static_cast<const char*>(start) - static_cast<const char*>(block));
  return offset < *size && bytes <= *size - offset;
}

void close([[maybe_unused]] const void* start, [[maybe_unused]] std::size_t bytes) {
#if defined(__SANITIZE_ADDRESS__)
  __asan_poison_memory_region(start, bytes);
#endif
}

void open([[maybe_unused]] const void* start, [[maybe_unused]] std::size_t bytes) {
#if defined(__SANITIZE_ADDRESS__)
  __asan_unpoison_memory_region(start, bytes);
#endif
}

cudaError_t allocate(AddressTable<std::size_t>& blocks, void** result, std::size_t bytes) {
  *result = nullptr;
  if (bytes == 0) return cudaSuccess;
  if (posix_memalign(result, alignment, bytes) != 0) return cudaErrorMemoryAllocation;
  std::memset(*result, 0xFF, bytes);  // NaN in every format
  blocks.insert(*result, bytes);
  return cudaSuccess;
}

}  // namespace

bool on_device(const void* start, std::size_t bytes) {
  return within(memory.device, start, bytes);
}
bool on_pinned_host(const void* start, std::size_t bytes) {
  return within(memory.pinned, start, bytes);
}

DeviceAccess::DeviceAccess() {
  if (memory.users++ == 0) memory.device.each([](void* start, std::size_t bytes) { open(start, bytes); });
}
DeviceAccess::~DeviceAccess() {
  if (--memory.users == 0) memory.device.each([](void* start, std::size_t bytes) { close(start, bytes); });
}

}  // namespace emulation

using namespace emulation;

extern "C" {

cudaError_t cudaMalloc(void** result, size_t bytes) {
  if (const cudaError_t status = refuse_while_capturing(); status != cudaSuccess) return report(status);
  if (bytes > memory_limit() || memory.used > memory_limit() - bytes)
    return report(cudaErrorMemoryAllocation);
  const cudaError_t status = allocate(memory.device, result, bytes);
  if (status != cudaSuccess) return report(status);
  memory.used += bytes;
  close(*result, bytes);
  return cudaSuccess;
}

cudaError_t cudaFree(void* block) {
  if (const cudaError_t status = refuse_while_capturing(); status != cudaSuccess) return report(status);
  if (block == nullptr) return cudaSuccess;
  const std::size_t* bytes = memory.device.find(block);
  if (bytes == nullptr) return report(cudaErrorInvalidValue);
  finish_all_streams();  // as the runtime does
  memory.used -= *bytes;
  open(block, *bytes);
  memory.device.erase(block);
  std::free(block);
  return cudaSuccess;
}

cudaError_t cudaMallocHost(void** result, size_t bytes) {
  if (const cudaError_t status = refuse_while_capturing(); status != cudaSuccess) return report(status);
  return report(allocate(memory.pinned, result, bytes));
}

cudaError_t cudaFreeHost(void* block) {
  if (const cudaError_t status = refuse_while_capturing(); status != cudaSuccess) return report(status);
  if (block == nullptr) return cudaSuccess;
  finish_all_streams();
  if (!memory.pinned.erase(block)) return report(cudaErrorInvalidValue);
  std::free(block);
  return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  *total = memory_limit();
  *free = *total - std::min(*total, memory.used);
  return cudaSuccess;
}

}  // extern "C"
