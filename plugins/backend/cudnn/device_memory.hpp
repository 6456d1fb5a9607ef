// SPDX-License-Identifier: Apache-2.0
// Where the GPU's programs lie.
#pragma once

#include "device_buffer.hpp"
#include "program/block.hpp"

namespace halfling::cudnn {

/// Copies to the device and waits for it, also for what other streams have queued.
void upload(const void* from, void* to, std::size_t bytes);

class DeviceMemory final : public program::Memory {
 public:
  program::Block allocate(std::size_t bytes) const override;
  void upload(const std::byte* from, std::byte* to, std::size_t bytes) const override {
    cudnn::upload(from, to, bytes);
  }
};

}  // namespace halfling::cudnn
