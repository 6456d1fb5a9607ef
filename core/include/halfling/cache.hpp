// SPDX-License-Identifier: Apache-2.0
// Where what can be made or fetched again is kept.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "halfling/export.hpp"

namespace halfling {

/// $XDG_CACHE_HOME/halfling/<what>, else ~/.cache/halfling/<what>; empty where neither is known.
HALFLING_API std::filesystem::path cache_folder(std::string_view what);

/// Where a data set's files are: `given`, the option `root`, or where it is empty, where `halfling fetch
/// <card>` puts them.
HALFLING_API std::string dataset_root(const std::string& given, std::string_view card);

}  // namespace halfling
