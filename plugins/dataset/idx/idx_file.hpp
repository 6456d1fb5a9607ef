// SPDX-License-Identifier: Apache-2.0
// The IDX format of MNIST (http://yann.lecun.com/exdb/mnist/, "The IDX file format"): two zero bytes, the
// element type, the number of dimensions, each extent as a big-endian 32-bit number, then the elements in C
// order.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "../data_file.hpp"

namespace halfling {

/// Where the elements begin.
constexpr std::int64_t idx_header_bytes(int rank) {
  return 4 + 4 * std::int64_t{rank};
}

/// A file of unsigned bytes. A plain one is read when it is asked for, a compressed one is held unpacked.
class IdxFile {
 public:
  /// For a file with so many dimensions, plain or compressed by gzip (told by its first bytes, not by its
  /// name). Throws Error (usage) for a file that is missing, of another kind, cut short or longer than it
  /// says.
  IdxFile(const std::string& file, int rank);

  const std::vector<std::int64_t>& extents() const { return extents_; }
  /// Copies elements from `first` on. Thread-safe. Throws Error where the file has become shorter meanwhile.
  void read(std::int64_t first, std::span<std::uint8_t> to) const;

 private:
  void read_plain();
  void unpack();

  std::string name_;
  int rank_;
  std::vector<std::int64_t> extents_;
  std::optional<DataFile> plain_;
  std::vector<std::uint8_t> unpacked_;
};

}  // namespace halfling
