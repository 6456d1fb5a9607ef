// SPDX-License-Identifier: Apache-2.0
// How many processors this process may keep busy.
#pragma once

#include "halfling/export.hpp"

namespace halfling {

/// Those that its affinity mask has (sched_setaffinity(2), taskset(1)), or fewer where a control group limits
/// its time (cpu.max); 1 at least. Counted once, by main: a library that binds threads changes the mask of
/// the calling one.
HALFLING_API int usable_processors();

}  // namespace halfling
