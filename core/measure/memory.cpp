// SPDX-License-Identifier: Apache-2.0
#include "measure/memory.hpp"

#include <malloc.h>

#include <fstream>
#include <string>

namespace halfling {
namespace {

std::uint64_t status_bytes(const std::string& key) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (std::uint64_t kibibytes = 0; word == key && status >> kibibytes) return kibibytes * 1024;
  return 0;
}

}  // namespace

void begin_peak() {
  ::malloc_trim(0);
  std::ofstream("/proc/self/clear_refs") << "5";
}

std::uint64_t peak_resident() {
  return status_bytes("VmHWM:");
}

std::uint64_t resident() {
  return status_bytes("VmRSS:");
}

}  // namespace halfling
