// SPDX-License-Identifier: Apache-2.0
#include "train/data_sheet.hpp"

#include <algorithm>
#include <vector>

#include "run/png.hpp"

namespace halfling {

Image data_sheet(const Batch& batch, const BatchSpec& spec, std::int64_t rows) {
  const auto bytes = static_cast<std::size_t>(spec.image.elements());
  const auto columns = static_cast<std::size_t>(spec.classes);
  std::vector<std::uint8_t> images(static_cast<std::size_t>(rows) * columns * bytes, 255);
  std::vector<std::int64_t> shown(columns);
  for (std::size_t i = 0; i < batch.labels.size(); ++i) {
    const auto column = static_cast<std::size_t>(batch.labels[i]);
    if (shown[column] == rows) continue;
    const std::size_t place = static_cast<std::size_t>(shown[column]++) * columns + column;
    std::ranges::copy(batch.images.subspan(i * bytes, bytes),
                      images.begin() + static_cast<std::ptrdiff_t>(place * bytes));
  }
  return grid(images, spec.image, static_cast<int>(columns));
}

}  // namespace halfling
