// SPDX-License-Identifier: Apache-2.0
// PNG and JPEG files of the data set folder.
#include "../../plugins/dataset/folder/picture.hpp"
#include "target.hpp"

using namespace halfling;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto file = fuzz::write("cat.png", fuzz::text_of({data, size}));
  for (const int channels : {1, 3})
    fuzz::read_or_refuse("cat.png", [&] { read_picture(file, {.channels = channels, .background = 255}); });
  return 0;
}
