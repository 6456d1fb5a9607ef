// SPDX-License-Identifier: Apache-2.0
#include "gpu.hpp"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

namespace halfling::cudnn {
namespace {

/// 13000 is "13.0".
std::string cuda_version(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

/// Why the driver does not answer.
std::string driver_problem(cudaError_t status, int driver) {
  constexpr const char* needed = "this plugin is built for CUDA ";
  if (status == cudaErrorNoDevice) return "the NVIDIA driver finds no GPU (see nvidia-smi)";
  if (status == cudaErrorStubLibrary)
    return "libcuda.so.1 is the toolkit's stub and not a driver; take its folder out of LD_LIBRARY_PATH";
  if (driver == 0)
    return fmt::format("no NVIDIA driver is installed (libcuda.so.1 is not found); {}{}", needed,
                       cuda_version(CUDART_VERSION));
  if (status == cudaErrorInsufficientDriver)
    return fmt::format("the NVIDIA driver is too old: it is for CUDA {}, {}{}; update it",
                       cuda_version(driver), needed, cuda_version(CUDART_VERSION));
  return fmt::format("the NVIDIA driver does not work: {} ({})", cudaGetErrorString(status),
                     cudaGetErrorName(status));
}

FormatSupport native_from(bool supported) {
  return supported ? FormatSupport::native : FormatSupport::none;
}

Gpu describe(int ordinal, const cudaDeviceProp& properties, int driver) {
  const bool ampere = properties.major >= 8;
  Gpu gpu;
  gpu.ordinal = ordinal;
  gpu.multiprocessors = properties.multiProcessorCount;
  gpu.device.name =
      fmt::format("{}, compute capability {}.{}", properties.name, properties.major, properties.minor);
  gpu.device.memory = properties.totalGlobalMem;
  gpu.device.own_memory = true;
  gpu.device.formats[DType::f32] = FormatSupport::native;
  gpu.device.formats[DType::f16] = FormatSupport::native;
  gpu.device.formats[DType::tf32] = native_from(ampere);
  gpu.device.formats[DType::bf16] = native_from(ampere);
  gpu.device.library = "driver for CUDA " + cuda_version(driver);
  return gpu;
}

}  // namespace

Gpus find_gpus() {
  Gpus result;
  int driver = 0, count = 0;
  if (cudaDriverGetVersion(&driver) != cudaSuccess) driver = 0;
  if (const cudaError_t status = cudaGetDeviceCount(&count); status != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    result.missing = driver_problem(status, driver);
    return result;
  }
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    cudaDeviceProp properties{};
    if (const cudaError_t status = cudaGetDeviceProperties(&properties, ordinal); status != cudaSuccess) {
      result.missing += fmt::format("GPU {} does not answer: {}; ", ordinal, cudaGetErrorString(status));
      continue;
    }
    const int capability = 10 * properties.major + properties.minor;
    if (capability < HALFLING_CUDA_LEAST)
      result.missing += fmt::format(
          "{} has compute capability {}.{}, this plugin is built for {}.{} and newer; ", properties.name,
          properties.major, properties.minor, HALFLING_CUDA_LEAST / 10, HALFLING_CUDA_LEAST % 10);
    else
      result.usable.push_back(describe(ordinal, properties, driver));
  }
  if (result.missing.ends_with("; ")) result.missing.resize(result.missing.size() - 2);
  return result;
}

}  // namespace halfling::cudnn
