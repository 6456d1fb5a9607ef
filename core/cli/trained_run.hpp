// SPDX-License-Identifier: Apache-2.0
// A run folder that networks are taken from.
#pragma once

#include <filesystem>
#include <string>

#include "cli/command.hpp"
#include "experiment/experiment.hpp"
#include "plugin/registry.hpp"
#include "run/checkpoint.hpp"

namespace halfling::cli {

struct TrainedRun {
  Experiment experiment;
  std::filesystem::path checkpoint;
  CheckpointLabel label;
};

/// With the newest checkpoint, or as `checkpoint` says, if it is not empty: the iteration of a kept one, or a
/// file. Throws Error (usage) where the folder is no run, or has no such checkpoint.
TrainedRun trained_run(const std::filesystem::path& run, const std::string& checkpoint,
                       const Registry& registry);

/// The checkpoint alone.
std::filesystem::path chosen_checkpoint(const std::filesystem::path& run, const std::string& checkpoint);

/// --checkpoint, for chosen_checkpoint.
void add_checkpoint(Grammar& grammar);
std::string checkpoint_text(const Values& values);

}  // namespace halfling::cli
