// SPDX-License-Identifier: Apache-2.0
// TOML text -> Table. The only file that sees toml++.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "experiment/diagnostics.hpp"
#include "experiment/tree.hpp"

namespace halfling::config {

/// Levels of tables and lists in a statement, and parts of a key.
inline constexpr std::size_t most_nested = 256;
/// In one file: tables are searched key by key.
inline constexpr std::size_t most_keys = 10'000;

/// Where keys and brackets are nested deeper than that, an offset; npos: nowhere. toml++ recurses over them,
/// so any text is asked before it is parsed.
std::size_t nested_too_deep(std::string_view toml);

class Advisor;

/// Keys in file order. A text that is not TOML is reported, and nullopt comes back: the parser stops at the
/// first fault. The source must outlive the table.
std::optional<Table> read_toml(const Source& source, Diagnostics& diagnostics,
                               const Advisor* advisor = nullptr);

/// One value, as TOML text ("[1, 2]"); nullopt where it is none. Its places are of the given source.
std::optional<TomlNode> read_toml_value(const std::string& text, const Source* source);

}  // namespace halfling::config
