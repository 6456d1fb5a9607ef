// SPDX-License-Identifier: Apache-2.0
#include "measure/cpu_quota.hpp"

#include <fstream>
#include <iterator>
#include <sstream>

namespace halfling {
namespace {

namespace fs = std::filesystem;

/// Version 2 writes "QUOTA PERIOD" in one file, version 1 in two; no limit is "max" or -1: no positive
/// number.
std::optional<double> limit_of(const fs::path& group) {
  double quota = 0, period = 0;
  std::ifstream both(group / "cpu.max");
  if (!(both >> quota >> period)) {
    std::ifstream first(group / "cpu.cfs_quota_us"), second(group / "cpu.cfs_period_us");
    if (!(first >> quota) || !(second >> period)) return std::nullopt;
  }
  if (!(quota > 0 && period > 0)) return std::nullopt;
  return quota / period;
}

bool has_word(const std::string& list, const std::string& word) {
  return ("," + list + ",").find("," + word + ",") != std::string::npos;
}

/// The group and those above it. Inside of a container the path is that of the host, and only the top exists.
std::optional<double> tightest(const fs::path& top, const std::string& group) {
  std::optional<double> least = limit_of(top);
  fs::path path = top;
  for (const fs::path& part : fs::path(group).relative_path()) {
    path /= part;
    const std::optional<double> limit = limit_of(path);
    if (limit && (!least || *limit < *least)) least = limit;
  }
  return least;
}

}  // namespace

std::optional<double> cpu_quota(const std::string& membership, const fs::path& mounts) {
  std::optional<double> least;
  std::istringstream lines(membership);
  for (std::string line;
       std::getline(lines, line);) {  // "4:cpu,cpuacct:/a/group", or "0::/a/group" of version 2
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (!controllers.empty() && !has_word(controllers, "cpu")) continue;
    const std::optional<double> limit = tightest(mounts / controllers, line.substr(second + 1));
    if (limit && (!least || *limit < *least)) least = limit;
  }
  return least;
}

std::optional<double> cpu_quota() {
  std::ifstream file("/proc/self/cgroup");
  return cpu_quota({std::istreambuf_iterator<char>(file), {}}, "/sys/fs/cgroup");
}

}  // namespace halfling
