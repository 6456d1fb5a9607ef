// SPDX-License-Identifier: Apache-2.0
// Where an iteration's time goes: a backend's steps, summed up by layer and kind of work.
#pragma once

#include <span>

#include "halfling/backend.hpp"
#include "halfling/run.hpp"
#include "input/batch_source.hpp"
#include "iteration/iteration.hpp"

namespace halfling {

/// Every kind of work of every layer, in the order in which they first run. `graph`: that was compiled.
std::vector<WorkTime> work_times(const Graph& graph, std::span<const ProfileEntry> steps);

/// Runs it again and again with these batches, each step timed: twice at least, at most ten times, about two
/// seconds. Its updates are made.
WorkProfile profile_iteration(const IterationGraph& iteration, Executable& executable, const Batch& batches);

}  // namespace halfling
