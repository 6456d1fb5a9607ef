// SPDX-License-Identifier: Apache-2.0
// The look at a file before the dynamic loader gets it, and at the fields of a plugin's descriptor.
#include <algorithm>
#include <array>
#include <cstring>

#include "plugin/descriptor.hpp"
#include "plugin/elf.hpp"
#include "target.hpp"

using namespace halfling;

namespace {

/// Numbers as the bytes have them; texts are cut out of the bytes, or missing.
void judge(fuzz::Bytes bytes) {
  PluginDescriptor descriptor{};
  constexpr std::size_t text_size = 8;
  constexpr std::size_t numbers =
      sizeof descriptor.magic + sizeof descriptor.abi_version + sizeof descriptor.struct_size;
  if (bytes.size() < numbers) return;
  std::memcpy(&descriptor, bytes.data(), std::min(numbers, sizeof descriptor));
  std::array<std::array<char, text_size>, 5> texts{};
  const char** fields[] = {&descriptor.fingerprint, &descriptor.kind, &descriptor.name, &descriptor.version,
                           &descriptor.summary};
  bytes = bytes.subspan(numbers);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::size_t count = std::min(bytes.size(), text_size - 1);
    std::copy_n(bytes.begin(), count, texts[i].begin());
    *fields[i] = count == 0 ? nullptr : texts[i].data();
    bytes = bytes.subspan(count);
  }
  (void)is_readable(descriptor);
  (void)descriptor_defect(descriptor);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::Bytes bytes{data, size};
  const auto file = fuzz::write("plugin.so", fuzz::text_of(bytes));
  (void)shared_library_defect(file);
  judge(bytes);
  return 0;
}
