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

/// What was named, or the experiment.toml in it where that is a run folder.
std::filesystem::path experiment_path(const std::filesystem::path& named);

/// Where run folders are made: --out DIR; without it "runs", or where the run folder lies that was named in
/// place of a file.
std::filesystem::path runs_folder(const boost::program_options::variables_map& values,
                                  const Experiment& trial);

/// Reads the file that was named, or the trial of a run folder, which keeps its label. Throws Error (usage)
/// where none was, and DiagnosticsError.
LoadedExperiment load(const boost::program_options::variables_map& values, const PluginCatalog& catalog);

/// The index that --trial names, from 0; nullopt where it is not given. Throws Error (usage) where there is
/// no such trial.
std::optional<std::size_t> chosen_trial(const boost::program_options::variables_map& values,
                                        const LoadedExperiment& loaded);

}  // namespace halfling::cli
