// SPDX-License-Identifier: Apache-2.0
// Strokes of the data set quickdraw, drawn small.
#include <algorithm>
#include <vector>

#include "../../plugins/dataset/quickdraw/strokes_file.hpp"
#include "target.hpp"

using namespace halfling;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto file = fuzz::write("cat.ndjson", fuzz::text_of({data, size}));
  fuzz::read_or_refuse("cat.ndjson", [&] {
    constexpr int side = 16;
    const StrokesFile drawings(file, side);
    std::vector<std::uint8_t> pixels(side * side);
    for (std::int64_t row = 0; row < std::min<std::int64_t>(drawings.rows(), 4); ++row)
      drawings.read(row, pixels);
  });
  return 0;
}
