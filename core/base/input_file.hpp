// SPDX-License-Identifier: Apache-2.0
// Files that somebody else may have made, read whole.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace halfling {

enum class Links : bool {
  followed,
  refused,  ///< of files in a run folder, which may come from anywhere: a link could lead out of it
};

inline constexpr std::uint64_t largest_document = std::uint64_t{64} << 20;  ///< bytes; no summary is larger
inline constexpr std::uint64_t largest_lines = std::uint64_t{4} << 30;      ///< bytes; of days of metrics

/// The bytes of a regular file. nullopt where nothing has this name. Throws Error where it is something else
/// (a pipe is not waited for, a device not read), larger than `most`, or cannot be read.
std::optional<std::string> read_file(const std::filesystem::path& file, std::uint64_t most,
                                     Links links = Links::followed);

}  // namespace halfling
