// SPDX-License-Identifier: Apache-2.0
#include "device.hpp"

#include <cuda_runtime_api.h>

#include <cstdio>
#include <cstdlib>

#include "errors.hpp"

namespace emulation {

Capability capability() {
  Capability result{9, 0};
  if (const char* text = std::getenv("HALFLING_EMULATED_CAPABILITY"))
    if (std::sscanf(text, "%d.%d", &result.major, &result.minor) != 2) std::abort();
  return result;
}

std::size_t memory_limit() {
  const char* text = std::getenv("HALFLING_EMULATED_MEMORY");
  return text == nullptr ? std::size_t{16} << 30 : std::strtoull(text, nullptr, 10);
}

}  // namespace emulation

using namespace emulation;

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}

cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) {
  return report(device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  if (device != 0) return report(cudaErrorInvalidDevice);
  *properties = {};
  std::snprintf(properties->name, sizeof properties->name, "NVIDIA emulated (host)");
  properties->major = capability().major;
  properties->minor = capability().minor;
  properties->totalGlobalMem = memory_limit();
  properties->multiProcessorCount = 4;
  properties->warpSize = 32;
  properties->maxThreadsPerBlock = 1024;
  properties->sharedMemPerBlock = 48 * 1024;
  return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}

}  // extern "C"
