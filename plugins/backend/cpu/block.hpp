// SPDX-License-Identifier: Apache-2.0
// Owned, aligned, zeroed memory; large blocks ask for huge pages.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

namespace halfling::cpu {

class Block {
 public:
  Block() = default;
  explicit Block(std::size_t bytes) : bytes_(bytes) {
    if (bytes == 0) return;
    const std::size_t alignment = bytes >= huge_page ? huge_page : 64;
    const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
    data_.reset(static_cast<std::byte*>(std::aligned_alloc(alignment, rounded)));
    if (data_ == nullptr) throw std::bad_alloc();
    if (alignment == huge_page) madvise(data_.get(), rounded, MADV_HUGEPAGE);
    std::memset(data_.get(), 0, rounded);
  }
  std::byte* data() const { return data_.get(); }
  std::size_t bytes() const { return bytes_; }

 private:
  static constexpr std::size_t huge_page = std::size_t{2} << 20;
  struct Free {
    void operator()(std::byte* p) const { std::free(p); }
  };
  std::unique_ptr<std::byte, Free> data_;
  std::size_t bytes_ = 0;
};

}  // namespace halfling::cpu
