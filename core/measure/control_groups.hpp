// SPDX-License-Identifier: Apache-2.0
// What the control groups of this process leave to it (cgroups(7), both versions).
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace halfling {

/// Where the groups of a process are.
struct ControlGroups {
  std::string membership;        ///< the text of /proc/self/cgroup
  std::filesystem::path mounts;  ///< the folder where groups are mounted
};
ControlGroups own_control_groups();

/// Processor time, in processors: 1.5 is three seconds of it in two. The tightest limit among the process's
/// groups and those above; nullopt: none.
std::optional<double> cpu_quota(const ControlGroups& groups);
/// Bytes; the same.
std::optional<std::uint64_t> memory_limit(const ControlGroups& groups);

}  // namespace halfling
