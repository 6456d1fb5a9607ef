// SPDX-License-Identifier: Apache-2.0
// Calls of the system that a signal cuts short are made again. close(2) is none of them: on Linux the
// descriptor is gone all the same, and may be another file's by then.
#pragma once

#include <cerrno>

namespace halfling {

/// What `call` gives once it gives another thing than -1 with EINTR.
template <class Call>
auto uninterrupted(const Call& call) {
  auto result = call();
  while (result == -1 && errno == EINTR) result = call();
  return result;
}

}  // namespace halfling
