// SPDX-License-Identifier: Apache-2.0
// A trial in its folder, from set-up to its end.
#pragma once

#include "base/world.hpp"
#include "plugin/registry.hpp"
#include "run/run_folder.hpp"
#include "train/progress.hpp"
#include "train/reporters.hpp"
#include "train/schedule.hpp"
#include "train/turn.hpp"

namespace halfling {

/// The run that ended in the folder, where it has come as far as these limits: nothing is left to train. A
/// run that was asked for less goes on.
std::optional<Summary> finished(const RunFolder& folder, const Limits& limits);

/// Sets a trial up in its folder, continues from its newest checkpoint where there is one, and trains. Throws
/// Error (usage) where another process runs it, or has begun it and `resume` is false. `others`: reporters
/// that are told after the run's own and those of the experiment. A process that writes no files (World)
/// reads the newest checkpoint there, and has no reporters. With a turn it trains to the end of that, and is
/// "interrupted" where the run goes on; another one of this process may continue it.
Summary run_trial(const Experiment& experiment, const Registry& registry, const RunFolder& folder,
                  Progress& progress, bool resume, const std::vector<NamedReporter>& others = {},
                  World world = {}, Turn* turn = nullptr);

}  // namespace halfling
