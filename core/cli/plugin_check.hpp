// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

namespace halfling::cli {

/// Says whether the program would take a plugin's file, and all that speaks for or against it. Returns the
/// exit status: 0 where it would.
int check_plugin(const std::filesystem::path& file, const std::vector<std::filesystem::path>& search_path,
                 bool json_wanted);

}  // namespace halfling::cli
