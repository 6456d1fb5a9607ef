// SPDX-License-Identifier: Apache-2.0
// What an iteration tells of its training operations: the outputs that IterationGraph lists, and the states
// that they come from.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "iteration/cycle.hpp"
#include "iteration/iteration.hpp"
#include "iteration/pending_update.hpp"

namespace halfling {

class OperationOutputs {
 public:
  OperationOutputs(IterationGraph& iteration, const IterationRequest& request)
      : iteration_(iteration), request_(request) {}

  /// One run of an operation. `made`: updates made so far.
  void record(const PendingUpdate& update, Value skip, Value made);
  /// Makes the outputs of a phase's operations. Where it does not run, they tell of its last run.
  void finish(const Phase& phase, bool runs);

 private:
  /// The runs of an operation in this iteration.
  struct Runs {
    std::vector<Value> losses;
    Value skipped;  ///< whether an update was
    Value made;
  };

  Graph& graph() { return iteration_.graph; }
  Value tally(const std::string& name);
  Value last_loss(const Phase& phase, const TrainingOperation& operation);
  void output_runs(const Phase& phase, const TrainingOperation& operation);
  void output_last(const Phase& phase, const TrainingOperation& operation);

  IterationGraph& iteration_;
  const IterationRequest& request_;
  std::map<std::string, Runs> runs_;
};

/// The state that counts an operation's updates.
Value update_count(Graph& graph, const std::string& operation);

}  // namespace halfling
