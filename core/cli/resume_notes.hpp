// SPDX-License-Identifier: Apache-2.0
// --resume that has nothing to continue: most often a --set is missing, and another trial was meant.
#pragma once

#include <string>
#include <vector>

#include "experiment/experiment.hpp"
#include "halfling/error.hpp"
#include "plugin/catalog.hpp"
#include "run/run_folder.hpp"

namespace halfling::cli {

/// What to say of runs of the same experiment that were begun and have not ended, with the values in which
/// they differ from this trial; empty where there is none.
std::vector<std::string> notes_on_other_runs(const Experiment& trial, const RunFolder& folder,
                                             const PluginCatalog& catalog);

/// What a begun run of the same trial is asked for now, and was not before: budget and outputs. Empty where
/// nothing is, or nothing was begun.
std::vector<std::string> notes_on_changes(const Experiment& trial, const RunFolder& folder,
                                          const PluginCatalog& catalog);

}  // namespace halfling::cli
