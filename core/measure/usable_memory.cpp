// SPDX-License-Identifier: Apache-2.0
#include "halfling/usable_memory.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>

#include "measure/control_groups.hpp"

namespace halfling {

std::uint64_t usable_memory() {
  std::uint64_t bytes = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                        static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  if (const auto limit = memory_limit(own_control_groups())) bytes = std::min(bytes, *limit);
  struct rlimit space {};
  if (::getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY)
    bytes = std::min<std::uint64_t>(bytes, space.rlim_cur);
  return bytes;
}

}  // namespace halfling
