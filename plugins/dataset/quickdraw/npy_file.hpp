// SPDX-License-Identifier: Apache-2.0
// A numpy array of 28x28 bitmaps, mapped into memory (format: numpy.lib.format, versions 1.0 to 3.0).
#pragma once

#include <boost/interprocess/mapped_region.hpp>
#include <cstdint>
#include <string>

namespace halfling {

class NpyFile {
 public:
  static constexpr std::int64_t row_bytes = 28 * 28;

  /// Takes uint8 arrays in C order of shape (N, 784), (N, 1, 784) or (N, 28, 28), N at least 1. Throws Error
  /// (usage) for anything else, and for a file cut short or longer than its header says.
  explicit NpyFile(const std::string& file);

  std::int64_t rows() const { return rows_; }
  const std::uint8_t* row(std::int64_t index) const { return data_ + index * row_bytes; }

 private:
  boost::interprocess::mapped_region region_;
  const std::uint8_t* data_ = nullptr;
  std::int64_t rows_ = 0;
};

}  // namespace halfling
