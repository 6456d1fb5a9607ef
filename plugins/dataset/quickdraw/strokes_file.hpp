// SPDX-License-Identifier: Apache-2.0
// A simplified file of Quick, Draw!: a line of JSON for each drawing.
#pragma once

#include <string>
#include <vector>

#include "../data_file.hpp"
#include "drawings.hpp"

namespace halfling {

/// Memory: 8 bytes a drawing. A line is read, parsed and drawn when it is asked for.
class StrokesFile : public Drawings {
 public:
  /// Looks at the first and last byte of each line; throws Error (usage) where one is no object, as of a file
  /// that is cut short or a web page, and where one is longer than 1 MiB.
  StrokesFile(const std::string& file, int size);

  std::int64_t rows() const override { return static_cast<std::int64_t>(begins_.size()); }
  void read(std::int64_t row, std::span<std::uint8_t> to) const override;

 private:
  void find_lines();
  void add_line(std::int64_t begin, std::int64_t end, char first, char last);

  DataFile file_;
  int size_;
  std::vector<std::int64_t> begins_;
  std::int64_t end_ = 0;  ///< of the last line
};

}  // namespace halfling
