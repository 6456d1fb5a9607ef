// SPDX-License-Identifier: Apache-2.0
// Where the processes that train together meet in an iteration. There is no collective op yet, so one process
// is all that trains; these are the places for it.
#pragma once

#include "base/world.hpp"
#include "iteration/pending_update.hpp"

namespace halfling {

/// Before gradients are checked and unscaled: to become their mean over all processes, which share one loss
/// scale.
void combine_gradients(PendingUpdate& update, World world);

/// After the check: to become whether any process has found something, so that all of them skip, or none.
Value combine_found(Value found, World world);

}  // namespace halfling
