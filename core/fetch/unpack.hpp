// SPDX-License-Identifier: Apache-2.0
// Archives that come from elsewhere.
#pragma once

#include <filesystem>

namespace halfling {

/// Puts the files of an archive (whatever libarchive reads: tar, zip, compressed) into a folder, all of them
/// or none. Only regular files and folders below it: absolute names, "..", links and devices are refused, and
/// more than 16 GiB. Throws Error.
void unpack(const std::filesystem::path& archive, const std::filesystem::path& folder);

}  // namespace halfling
