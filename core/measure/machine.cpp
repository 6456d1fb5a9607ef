// SPDX-License-Identifier: Apache-2.0
#include "measure/machine.hpp"

#include <sys/utsname.h>

#include <ctime>
#include <fstream>

#include "halfling/plugin.hpp"
#include "halfling/processors.hpp"

namespace halfling {
namespace {

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name")) {
      const std::size_t colon = line.find(": ");
      if (colon != std::string::npos) return line.substr(colon + 2);
    }
  return {};
}

std::string kernel_name() {
  utsname name{};
  if (::uname(&name) != 0) return {};
  return std::string(name.sysname) + " " + name.release + " " + name.machine;
}

}  // namespace

Machine this_machine() {
  return {processor_name(), usable_processors(), kernel_name(), HALFLING_COMPILER " " HALFLING_LIBRARY};
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

}  // namespace halfling
