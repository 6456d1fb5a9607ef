// SPDX-License-Identifier: Apache-2.0
// A numpy array of 28x28 bitmaps on disk (format: numpy.lib.format, versions 1.0 to 3.0).
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "../data_file.hpp"
#include "drawings.hpp"

namespace halfling {

class NpyFile : public Drawings {
 public:
  static constexpr std::int64_t row_bytes = 28 * 28;

  /// Takes uint8 arrays in C order of shape (N, 784), (N, 28, 28) or one of these with further extents of 1,
  /// N at least 1. Throws Error (usage) for anything else, and for a file cut short or longer than its header
  /// says.
  explicit NpyFile(const std::string& file);

  std::int64_t rows() const override { return rows_; }
  void read(std::int64_t row, std::span<std::uint8_t> to) const override;

 private:
  std::string read_header();

  DataFile file_;
  std::int64_t data_ = 0;  ///< where the elements begin
  std::int64_t rows_ = 0;
};

}  // namespace halfling
