// SPDX-License-Identifier: Apache-2.0
// A file of samples that stays on disk: how every dataset plugin reads what it does not hold in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace halfling {

/// Read with pread and never mapped: a file that becomes shorter while it is open is then an error like any
/// other, where a mapping would end the process. Thread-safe but for moving.
class DataFile {
 public:
  /// Throws Error (usage) where the file cannot be opened, is no plain file or is empty; `expected` says what
  /// it should be ("a numpy array").
  DataFile(std::string name, const char* expected);
  DataFile(DataFile&& other) noexcept;
  DataFile& operator=(DataFile&&) = delete;
  ~DataFile();

  const std::string& name() const { return name_; }
  /// Bytes, when it was opened.
  std::int64_t size() const { return size_; }
  /// "FILE, byte 17".
  std::string place(std::int64_t offset) const { return name_ + ", byte " + std::to_string(offset); }

  /// As many bytes as there are from `offset` on, at most `to.size()`. Throws Error where it cannot be read.
  std::size_t read_some(std::int64_t offset, std::span<std::uint8_t> to) const;
  /// All of `to`. Throws Error where the file has become shorter.
  void read(std::int64_t offset, std::span<std::uint8_t> to) const;

 private:
  explicit DataFile(std::string name);

  std::string name_;
  int descriptor_;
  std::int64_t size_ = 0;
};

}  // namespace halfling
