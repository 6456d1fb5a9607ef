// SPDX-License-Identifier: Apache-2.0
// The processor time that the control groups of this process leave to it (cgroups(7)).
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace halfling {

/// In processors: 1.5 is three seconds of processor time in two. `membership` is the text of
/// /proc/self/cgroup, `mounts` the folder where groups are mounted. The tightest limit among the process's
/// groups and those above; both versions.
std::optional<double> cpu_quota(const std::string& membership, const std::filesystem::path& mounts);
/// Of this process.
std::optional<double> cpu_quota();

}  // namespace halfling
