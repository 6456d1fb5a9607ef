// SPDX-License-Identifier: Apache-2.0
// Memory that a program owns, on the host or on a device: the backend says where it comes from.
#pragma once

#include <cstddef>
#include <memory>

namespace halfling::program {

class Block {
 public:
  using Free = void (*)(std::byte*);
  Block() = default;
  /// Owns `data`, and gives it back with `free`.
  Block(std::byte* data, std::size_t bytes, Free free) : data_(data, free), bytes_(bytes) {}
  std::byte* data() const { return data_.get(); }
  std::size_t bytes() const { return bytes_; }

 private:
  std::unique_ptr<std::byte, Free> data_{nullptr, nullptr};
  std::size_t bytes_ = 0;
};

class Memory {
 public:
  virtual ~Memory() = default;
  /// Zeroed, aligned for every use; an empty block for 0 bytes. Throws where there is not enough.
  virtual Block allocate(std::size_t bytes) const = 0;
  /// Copies from the host into a block.
  virtual void upload(const std::byte* from, std::byte* to, std::size_t bytes) const = 0;
};

}  // namespace halfling::program
