// SPDX-License-Identifier: Apache-2.0
#include "host_memory.hpp"

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <new>

namespace halfling::cpu {

Block host_block(std::size_t bytes) {
  constexpr std::size_t huge_page = std::size_t{2} << 20;
  if (bytes == 0) return {};
  const std::size_t alignment = bytes >= huge_page ? huge_page : 64;
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  auto* data = static_cast<std::byte*>(std::aligned_alloc(alignment, rounded));
  if (data == nullptr) throw std::bad_alloc();
  if (alignment == huge_page) madvise(data, rounded, MADV_HUGEPAGE);
  std::memset(data, 0, rounded);
  return {data, bytes, [](std::byte* p) { std::free(p); }};
}

void HostMemory::upload(const std::byte* from, std::byte* to, std::size_t bytes) const {
  std::memcpy(to, from, bytes);
}

}  // namespace halfling::cpu
