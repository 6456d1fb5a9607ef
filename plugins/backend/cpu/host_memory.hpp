// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "program/block.hpp"

namespace halfling::cpu {

using program::Block;

/// Aligned, zeroed memory of the process; large blocks ask for huge pages. Throws std::bad_alloc.
Block host_block(std::size_t bytes);

class HostMemory final : public program::Memory {
 public:
  Block allocate(std::size_t bytes) const override { return host_block(bytes); }
  void upload(const std::byte* from, std::byte* to, std::size_t bytes) const override;
};

}  // namespace halfling::cpu
