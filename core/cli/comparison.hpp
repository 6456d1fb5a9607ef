// SPDX-License-Identifier: Apache-2.0
// Runs side by side, as a table for people.
#pragma once

#include <string>
#include <vector>

#include "report/summary.hpp"

namespace halfling::cli {

/// One row per run; ratios of time and memory are to the first one. Empty without runs.
std::string comparison(const std::vector<Summary>& runs);

}  // namespace halfling::cli
