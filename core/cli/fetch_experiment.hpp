// SPDX-License-Identifier: Apache-2.0
// What `halfling fetch EXPERIMENT` fetches.
#pragma once

#include <filesystem>
#include <vector>

#include "cli/command.hpp"
#include "fetch/card.hpp"

namespace halfling::cli {

struct Wanted {
  Card card;
  std::vector<CardFile> files;
  std::filesystem::path folder;  ///< dataset.root; empty: the cache
};

/// Whether an experiment's file or a run folder was named, and no card.
bool names_experiment(const std::filesystem::path& named);

/// The files of the data sets of all its trials, each data set once. Throws Error (usage) where no card is
/// known from one, and what is wrong with the experiment.
std::vector<Wanted> wanted_by(const std::filesystem::path& experiment, const Values& values);

}  // namespace halfling::cli
