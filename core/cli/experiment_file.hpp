// SPDX-License-Identifier: Apache-2.0
// The arguments of all commands that read an experiment file.
#pragma once

#include "cli/command.hpp"
#include "experiment/experiment.hpp"

namespace halfling::cli {

/// --set KEY=VALUE, may be given several times; and the positional argument "experiment".
void add_experiment(Grammar& grammar);
/// --trial N, from 1.
void add_trial(Grammar& grammar);

/// Reads the file that was named. Throws Error (usage) where none was, and DiagnosticsError.
LoadedExperiment load(const boost::program_options::variables_map& values, const PluginCatalog& catalog);

/// The index that --trial names, from 0; nullopt where it is not given. Throws Error (usage) where there is
/// no such trial.
std::optional<std::size_t> chosen_trial(const boost::program_options::variables_map& values,
                                        const LoadedExperiment& loaded);

}  // namespace halfling::cli
