// SPDX-License-Identifier: Apache-2.0
// What reporters are told of a run at its beginning.
#pragma once

#include "run/run_folder.hpp"
#include "train/schedule.hpp"
#include "train/trial.hpp"

namespace halfling {

/// elapsed: seconds of training of earlier executions. setup_s: that it took to make the trial.
RunDescription describe(const Trial& trial, const RunFolder& folder, const Limits& limits, double elapsed,
                        double setup_s);

}  // namespace halfling
