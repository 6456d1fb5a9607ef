// SPDX-License-Identifier: Apache-2.0
// How much memory this process may take.
#pragma once

#include <cstdint>

#include "halfling/export.hpp"

namespace halfling {

/// Bytes: the machine's, or fewer where a control group of this process (memory.max) or its address space
/// (RLIMIT_AS) is limited.
HALFLING_API std::uint64_t usable_memory();

}  // namespace halfling
