// SPDX-License-Identifier: Apache-2.0
// The table that ends a run: what each trial took, beside the one in single precision, and what its figures
// are worth.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/groups.hpp"

namespace halfling::cli {

/// One row per setting, within `width` columns, then a line for whatever makes a row less than it seems:
/// formats that are emulated, times that scatter or that others' work made longer,
/// updates that were skipped. "(1.52x)" is the ratio to the
/// baseline of the row's group.
std::string comparison(const std::vector<ComparedRun>& runs, const std::string& baseline, std::size_t width);

}  // namespace halfling::cli
