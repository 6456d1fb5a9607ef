// SPDX-License-Identifier: Apache-2.0
// The resident memory of this process, as the kernel counts it (proc(5)).
#pragma once

#include <cstdint>

namespace halfling {

/// What a process that trains occupies beside the memory plan: the program, its libraries and their tables,
/// thread stacks, PNG and file buffers. Peak resident memory stays within
/// 1.3 x planned + memory_base + what the data set holds in memory.
inline constexpr std::uint64_t memory_base = std::uint64_t{96} << 20;

/// Gives free memory back to the system, and begins a new peak where the kernel allows it (it does for
/// one's own process since Linux 4.0); otherwise the peak stays that of the whole process.
void begin_peak();
/// Bytes; 0 where the kernel does not tell.
std::uint64_t peak_resident();
std::uint64_t resident();

}  // namespace halfling
