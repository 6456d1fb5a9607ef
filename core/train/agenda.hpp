// SPDX-License-Identifier: Apache-2.0
// What an experiment asks for besides training, and after which iterations.
#pragma once

#include <algorithm>
#include <vector>

#include "train/schedule.hpp"

namespace halfling {

class Agenda {
 public:
  struct Due {
    bool metrics = false, checkpoint = false, grid = false;
  };

  /// Counts from this moment of training, in seconds of it.
  Agenda(const Experiment& experiment, double elapsed);

  /// After an iteration, once. Checkpoint and grid need the states as it left them: while the device is
  /// further (`at_rest` is false), they wait for the next one.
  Due due(std::int64_t iteration, double elapsed, bool at_rest);
  /// Whether the monitor is to look at an iteration that is about to run; once. It looks at the first one.
  bool observes(std::int64_t iteration, double elapsed);
  /// Whether something wants the states as an iteration leaves them, as far as it can be foreseen.
  bool needs_rest(std::int64_t iteration, double elapsed) const;

 private:
  bool is_milestone(std::int64_t iteration) const {
    return std::ranges::find(milestones_, iteration) != milestones_.end();
  }

  Every metrics_, grid_;
  std::optional<Every> checkpoint_, monitor_;
  std::vector<std::int64_t> milestones_;
};

}  // namespace halfling
