// SPDX-License-Identifier: Apache-2.0
// The table that ends a run: what each trial took, beside the first one, and what its figures are worth.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/summary.hpp"

namespace halfling::cli {

/// One row per run, within `width` columns, then a line for whatever makes a row less than it seems: formats
/// that are emulated, times that scatter, updates that were skipped. "(1.52x)" is the ratio to the first run.
std::string comparison(const std::vector<Summary>& runs, std::size_t width);

}  // namespace halfling::cli
