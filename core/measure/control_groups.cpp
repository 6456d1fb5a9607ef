// SPDX-License-Identifier: Apache-2.0
#include "measure/control_groups.hpp"

#include <fstream>
#include <iterator>
#include <sstream>

namespace halfling {
namespace {

namespace fs = std::filesystem;

using ReadLimit = std::optional<double> (*)(const fs::path& group);

/// Version 2 writes "QUOTA PERIOD" in one file, version 1 in two; no limit is "max" or -1: no positive
/// number.
std::optional<double> cpu_limit_of(const fs::path& group) {
  double quota = 0, period = 0;
  std::ifstream both(group / "cpu.max");
  if (!(both >> quota >> period)) {
    std::ifstream first(group / "cpu.cfs_quota_us"), second(group / "cpu.cfs_period_us");
    if (!(first >> quota) || !(second >> period)) return std::nullopt;
  }
  if (!(quota > 0 && period > 0)) return std::nullopt;
  return quota / period;
}

/// No limit is "max", or in version 1 about 2^63.
std::optional<double> memory_limit_of(const fs::path& group) {
  for (const char* name : {"memory.max", "memory.limit_in_bytes"}) {
    double bytes = 0;
    std::ifstream file(group / name);
    if (file >> bytes && bytes > 0 && bytes < 0x1p62) return bytes;
  }
  return std::nullopt;
}

bool has_word(const std::string& list, const std::string& word) {
  return ("," + list + ",").find("," + word + ",") != std::string::npos;
}

/// The group and those above it. Inside of a container the path is that of the host, and only the top exists.
std::optional<double> tightest(const fs::path& top, const std::string& group, ReadLimit read) {
  std::optional<double> least = read(top);
  fs::path path = top;
  for (const fs::path& part : fs::path(group).relative_path()) {
    path /= part;
    const std::optional<double> limit = read(path);
    if (limit && (!least || *limit < *least)) least = limit;
  }
  return least;
}

std::optional<double> tightest(const ControlGroups& groups, const std::string& controller, ReadLimit read) {
  std::optional<double> least;
  std::istringstream lines(groups.membership);
  for (std::string line;
       std::getline(lines, line);) {  // "4:cpu,cpuacct:/a/group", or "0::/a/group" of version 2
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (!controllers.empty() && !has_word(controllers, controller)) continue;
    const std::optional<double> limit = tightest(groups.mounts / controllers, line.substr(second + 1), read);
    if (limit && (!least || *limit < *least)) least = limit;
  }
  return least;
}

}  // namespace

ControlGroups own_control_groups() {
  std::ifstream file("/proc/self/cgroup");
  return {{std::istreambuf_iterator<char>(file), {}}, "/sys/fs/cgroup"};
}

std::optional<double> cpu_quota(const ControlGroups& groups) {
  return tightest(groups, "cpu", cpu_limit_of);
}

std::optional<std::uint64_t> memory_limit(const ControlGroups& groups) {
  const std::optional<double> limit = tightest(groups, "memory", memory_limit_of);
  if (!limit) return std::nullopt;
  return static_cast<std::uint64_t>(*limit);
}

}  // namespace halfling
