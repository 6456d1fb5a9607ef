// SPDX-License-Identifier: Apache-2.0
// The device's memory: every block is a heap block of its own, filled with NaN, so that the address sanitizer
// sees what runs over it and the results show what was never written. Under the address sanitizer the host
// cannot touch it either.
#pragma once

#include <cstddef>

namespace emulation {

/// Does [start, start + bytes) lie within one block of the device?
bool on_device(const void* start, std::size_t bytes);
/// Does it lie within memory that cudaMallocHost gave?
bool on_pinned_host(const void* start, std::size_t bytes);

/// While one of these lives, the device's memory can be touched.
class DeviceAccess {
 public:
  DeviceAccess();
  ~DeviceAccess();
  DeviceAccess(const DeviceAccess&) = delete;
  DeviceAccess& operator=(const DeviceAccess&) = delete;
};

}  // namespace emulation
