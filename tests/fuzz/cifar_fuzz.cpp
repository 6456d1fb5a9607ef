// SPDX-License-Identifier: Apache-2.0
// Records of CIFAR-10 and CIFAR-100. A record is 3 kB, so a byte of the input stands for 16 of the file. The
// first tells the format, and how many of the last stand for themselves.
#include <array>
#include <string>

#include "../../plugins/dataset/cifar_file.hpp"
#include "target.hpp"

using namespace halfling;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  constexpr std::size_t repeated = 16;
  const std::size_t alone = *data >> 1 & 7;
  std::string bytes;
  for (std::size_t i = 1; i < size; ++i)
    bytes.append(size - i <= alone ? 1 : repeated, static_cast<char>(data[i]));
  const auto file = fuzz::write("data_batch_1.bin", bytes);
  fuzz::read_or_refuse("data_batch_1.bin", [&] {
    const CifarFile records(file, (*data & 1) != 0 ? cifar100 : cifar10);
    std::array<std::uint8_t, CifarFormat::image_bytes> pixels{};
    for (std::int64_t record = 0; record < records.records(); ++record) records.read(record, 0, pixels);
  });
  return 0;
}
