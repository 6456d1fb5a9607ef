// SPDX-License-Identifier: Apache-2.0
// The updates of an iteration.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "iteration/average.hpp"
#include "iteration/iteration.hpp"
#include "iteration/pending_update.hpp"

namespace halfling {

class Updates {
 public:
  /// `phases`: all of the architecture, for the optimizer states that several operations share.
  /// Throws as schedule_in_updates.
  Updates(Graph& graph, const IterationRequest& request, const std::vector<Phase>& phases);

  /// Changes the update's parameters unless `skip`. Returns how many updates of the operation are made then.
  Value append(const PendingUpdate& update, Value skip);
  const std::vector<MadeUpdate>& made() const { return made_; }
  /// How an operation's learning rate goes, by the updates of its own, also where it shares an optimizer.
  const ScheduleAttributes& schedule_of(const std::string& operation) const {
    return schedules_.at(operation);
  }

 private:
  Value count(const std::string& state, Value skip);

  Graph& graph_;
  const IterationRequest& request_;
  std::map<std::string, ScheduleAttributes> schedules_;  ///< by operation
  std::set<std::string> shared_;                         ///< operations whose optimizer states others share
  std::vector<MadeUpdate> made_;
};

}  // namespace halfling
