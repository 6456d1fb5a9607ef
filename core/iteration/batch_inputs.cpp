// SPDX-License-Identifier: Apache-2.0
#include "iteration/batch_inputs.hpp"

namespace halfling {

std::string batch_input(const std::string& name, std::int64_t index) {
  return index == 0 ? name : name + "#" + std::to_string(index);
}

void write_batches(Executable& executable, const Batch& batches, std::int64_t count) {
  const auto write = [&](const char* name, auto elements) {
    const std::size_t each = elements.size() / static_cast<std::size_t>(count);
    for (std::int64_t i = 0; i < count; ++i)
      executable.write(batch_input(name, i),
                       std::as_bytes(elements.subspan(static_cast<std::size_t>(i) * each, each)));
  };
  write("images", batches.images);
  write("labels", batches.labels);
}

}  // namespace halfling
