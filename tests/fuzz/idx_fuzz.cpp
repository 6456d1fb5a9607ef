// SPDX-License-Identifier: Apache-2.0
// IDX files, plain and compressed. The first byte tells how many dimensions are expected.
#include <vector>

#include "../../plugins/dataset/idx/idx_file.hpp"
#include "target.hpp"

using namespace halfling;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto file = fuzz::write("images", fuzz::text_of({data + 1, size - 1}));
  fuzz::read_or_refuse("images", [&] {
    const IdxFile elements(file, (*data & 1) != 0 ? 3 : 1);
    std::int64_t sample = 1;
    for (std::size_t i = 1; i < elements.extents().size(); ++i) sample *= elements.extents()[i];
    std::vector<std::uint8_t> pixels(static_cast<std::size_t>(sample));
    elements.read((elements.extents()[0] - 1) * sample, pixels);
  });
  return 0;
}
