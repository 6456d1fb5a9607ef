// SPDX-License-Identifier: Apache-2.0
// Digests of files.
#pragma once

#include <filesystem>
#include <string>

namespace halfling {

/// Hexadecimal; `method` as of ContentHash. Throws Error where the file cannot be read.
std::string digest_of(const std::filesystem::path& file, const char* method);

}  // namespace halfling
