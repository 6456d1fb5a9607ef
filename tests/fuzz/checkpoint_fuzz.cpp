// SPDX-License-Identifier: Apache-2.0
// A safetensors file, and what a checkpoint says of itself in it.
#include "run/checkpoint.hpp"
#include "run/safetensors.hpp"
#include "target.hpp"

using namespace halfling;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto file = fuzz::write("7.safetensors", fuzz::text_of({data, size}));
  fuzz::read_or_refuse("7.safetensors", [&] {
    const SafetensorsFile tensors(file);
    for (const TensorInfo& tensor : tensors.tensors()) tensors.bytes(tensor.name);
  });
  fuzz::read_or_refuse("7.safetensors", [&] { read_contents(file); });
  return 0;
}
