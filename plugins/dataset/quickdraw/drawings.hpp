// SPDX-License-Identifier: Apache-2.0
// The drawings of one class, in whichever form a file has them.
#pragma once

#include <cstdint>
#include <span>

namespace halfling {

class Drawings {
 public:
  virtual ~Drawings() = default;
  virtual std::int64_t rows() const = 0;
  /// Writes drawing `row` as size x size bytes, white on black. Thread-safe. Throws Error where the file is
  /// damaged there, or has become shorter meanwhile.
  virtual void read(std::int64_t row, std::span<std::uint8_t> to) const = 0;
};

}  // namespace halfling
