// SPDX-License-Identifier: Apache-2.0
// Devices as cuDNN's DEVICEPROP descriptor takes them, written by hand from public figures.
#pragma once

#include <fmt/format.h>

#include <array>
#include <string>

namespace halfling::test {

struct DescribedDevice {
  const char* name;
  const char* full_name;
  int compute_capability;  ///< times 100
  int multiprocessors, threads_per_multiprocessor, blocks_per_multiprocessor;
  int clock_khz, memory_clock_khz;
  long shared_bytes_per_block, l2_mib, memory_gib;

  bool has_tf32() const { return compute_capability >= 800; }
  bool has_bf16() const { return compute_capability >= 800; }
};

inline constexpr std::array described_devices{
    DescribedDevice{"T4", "Tesla T4", 750, 40, 1024, 16, 1590000, 5001000, 65536, 4, 15},
    DescribedDevice{"A100", "NVIDIA A100-SXM4-40GB", 800, 108, 2048, 32, 1410000, 1215000, 166912, 40, 40},
    DescribedDevice{"L4", "NVIDIA L4", 890, 58, 1536, 24, 2040000, 6251000, 101376, 48, 22},
    DescribedDevice{"H200", "NVIDIA H200", 900, 132, 2048, 32, 1980000, 3201000, 232448, 50, 140}};

inline std::string properties(const DescribedDevice& d) {
  return fmt::format(
      R"({{"cudaDeviceId":0,"deviceName":"{}","deviceVer":{},"driverVer":13000,"isTccDriver":0,"l2CacheSize":{},)"
      R"("maxBlockSize":[1024,1024,64],"maxCtasPerSM":{},"maxGridSize":[2147483647,65535,65535],)"
      R"("maxRegistersPerSM":65536,"maxSharedMemoryPerBlock":49152,"maxSharedMemoryPerBlockOptin":{},)"
      R"("maxThreadsPerBlock":1024,"maxThreadsPerSM":{},"memClockRateKHz":{},"multiProcessorCount":{},)"
      R"("pciDeviceId":0,"regsPerBlock":65536,"reservedSharedMemoryPerBlock":1024,"smClockRateKHz":{},)"
      R"("supportCoopLaunch":1,"totalGlobalMem":{},"warpSize":32}})",
      d.full_name, d.compute_capability, d.l2_mib << 20, d.blocks_per_multiprocessor,
      d.shared_bytes_per_block, d.threads_per_multiprocessor, d.memory_clock_khz, d.multiprocessors,
      d.clock_khz, d.memory_gib << 30);
}

}  // namespace halfling::test
