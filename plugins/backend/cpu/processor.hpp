// SPDX-License-Identifier: Apache-2.0
// What this processor is, and what it computes natively.
#pragma once

#include <cstdint>
#include <string>

namespace halfling::cpu {

/// The widest vectors that oneDNN may use here, and the loops of our own with it. The environment variable
/// ONEDNN_MAX_CPU_ISA lowers both: "AVX2" makes any newer processor compute as one that has no more.
enum class Vectors { sse2, avx2, avx512 };

struct Processor {
  std::string name;          ///< "AMD EPYC 9B45"
  std::uint64_t memory = 0;  ///< bytes
  bool native_bf16 = false;  ///< has bf16 dot products, and oneDNN uses them
  bool matrix_unit = false;  ///< has AMX, and oneDNN uses it
  Vectors vectors = Vectors::sse2;
  std::string library;  ///< "oneDNN 3.2.0, avx512_core_bf16"
};

const Processor& processor();

/// Threads that this process may use.
int usable_threads();

}  // namespace halfling::cpu
