// SPDX-License-Identifier: Apache-2.0
// Tells where a run has left its files, and how its grids are to be read.
#pragma once

#include <vector>

#include "run/run_folder.hpp"
#include "train/progress.hpp"

namespace halfling::cli {

/// A line per folder that holds a summary, then the classes that the columns of the grids stand for: once,
/// where all folders have the same. Nothing where no folder has a summary.
void tell_whereabouts(const std::vector<RunFolder>& folders, Progress& progress);

}  // namespace halfling::cli
