// SPDX-License-Identifier: Apache-2.0
// The IDX format of MNIST (http://yann.lecun.com/exdb/mnist/, "The IDX file format"): two zero bytes, the
// element type, the number of dimensions, each extent as a big-endian 32-bit number, then the elements in C
// order.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace halfling {

struct IdxFile {
  std::vector<std::int64_t> extents;
  std::vector<std::uint8_t> bytes;
};

/// Reads a whole file of unsigned bytes with so many dimensions, plain or compressed by gzip (told by its
/// first bytes, not by its name). Throws Error (usage) for a file that is missing, of another kind, cut short
/// or longer than it says.
IdxFile read_idx(const std::string& file, int rank);

}  // namespace halfling
