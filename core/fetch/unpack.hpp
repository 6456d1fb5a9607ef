// SPDX-License-Identifier: Apache-2.0
// Archives that come from elsewhere.
#pragma once

#include <filesystem>

namespace halfling {

/// Puts the files of an archive (tar or zip, also compressed) into a folder, beside what is there: where a
/// name is taken by a file of another content, none is put there. Only regular files and folders below it:
/// absolute names, "..", links and devices are refused, and more than 16 GiB or a million files. Throws
/// Error.
void unpack(const std::filesystem::path& archive, const std::filesystem::path& folder);

}  // namespace halfling
