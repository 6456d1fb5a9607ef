// SPDX-License-Identifier: Apache-2.0
// A numpy array of the data set quickdraw.
#include <vector>

#include "../../plugins/dataset/quickdraw/npy_file.hpp"
#include "target.hpp"

using namespace halfling;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto file = fuzz::write("cat.npy", fuzz::text_of({data, size}));
  fuzz::read_or_refuse("cat.npy", [&] {
    const NpyFile drawings(file);
    std::vector<std::uint8_t> pixels(NpyFile::row_bytes);
    drawings.read(0, pixels);
    drawings.read(drawings.rows() - 1, pixels);
  });
  return 0;
}
