// SPDX-License-Identifier: Apache-2.0
// What this processor is, and what it computes natively.
#pragma once

#include <cstdint>
#include <string>

namespace halfling::cpu {

struct Processor {
  std::string name;          ///< "AMD EPYC 9B45"
  std::uint64_t memory = 0;  ///< bytes
  bool native_bf16 = false;  ///< has bf16 dot products, and oneDNN uses them
  bool matrix_unit = false;  ///< has AMX, and oneDNN uses it
  std::string library;       ///< "oneDNN 3.2.0, avx512_core_bf16"
};

const Processor& processor();

/// Threads that this process may use.
int usable_threads();

}  // namespace halfling::cpu
