// SPDX-License-Identifier: Apache-2.0
// The emulated device. The environment chooses what it is like:
//   HALFLING_EMULATED_CAPABILITY  compute capability, "9.0" unless set
//   HALFLING_EMULATED_MEMORY      bytes of memory, 16 GiB unless set
#pragma once

#include <cstddef>

namespace emulation {

struct Capability {
  int major, minor;
};
Capability capability();
/// Bytes; read anew at each call.
std::size_t memory_limit();

/// Formats and arithmetic that came with compute capability 8.0.
inline bool has_bf16_and_tf32() {
  return capability().major >= 8;
}

}  // namespace emulation
