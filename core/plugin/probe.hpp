// SPDX-License-Identifier: Apache-2.0
// A shared library runs code of its own when it is loaded, and a damaged one can end the process that loads
// it. So each is first loaded in a child process; what came back whole is remembered, and not tried again.
#pragma once

#include <filesystem>
#include <map>
#include <vector>

#include "halfling/error.hpp"

namespace halfling {

/// The files that end a process when they are loaded, or keep it for longer than a minute, and how. Files are
/// remembered by path, size, time and inode in $XDG_CACHE_HOME/halfling/plugins, for as long as this program
/// is the same; where nothing can be written there, they are tried each time. Where the system makes no
/// process, nothing is found. Throws nothing of its own.
std::map<std::filesystem::path, ErrorDetails> deadly_libraries(
    const std::vector<std::filesystem::path>& files);

}  // namespace halfling
