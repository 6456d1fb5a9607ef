// SPDX-License-Identifier: Apache-2.0
// What a run ran on.
#pragma once

#include <string>

namespace halfling {

struct Machine {
  std::string processor;  ///< "AMD EPYC 9B45"; empty where the kernel does not tell
  int processors = 0;     ///< that this process may keep busy
  std::string kernel;     ///< "Linux 6.1.0 x86_64"
  std::string compiler;   ///< of this program: "gcc-12 libstdc++-…"
};

Machine this_machine();

/// Now, as "2026-01-31T23:59:59Z".
std::string utc_now();

}  // namespace halfling
