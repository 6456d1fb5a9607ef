// SPDX-License-Identifier: Apache-2.0
#include "halfling/processors.hpp"

#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <thread>
#include <vector>

#include "measure/control_groups.hpp"

namespace halfling {
namespace {

/// The kernel refuses a mask that is too short for the machine.
int in_affinity_mask() {
  for (std::size_t sets = 1; sets <= 1024; sets *= 2) {
    std::vector<cpu_set_t> mask(sets);
    const std::size_t bytes = sets * sizeof(cpu_set_t);
    if (::sched_getaffinity(0, bytes, mask.data()) == 0) return CPU_COUNT_S(bytes, mask.data());
    if (errno != EINVAL) break;
  }
  return static_cast<int>(std::thread::hardware_concurrency());
}

int count() {
  const int processors = std::max(1, in_affinity_mask());
  const std::optional<double> quota = cpu_quota(own_control_groups());
  if (!quota || *quota >= processors) return processors;
  return static_cast<int>(std::ceil(*quota));
}

}  // namespace

int usable_processors() {
  static const int processors = count();
  return processors;
}

}  // namespace halfling
