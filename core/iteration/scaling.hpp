// SPDX-License-Identifier: Apache-2.0
// Loss scales of an iteration: what each training operation is multiplied by, what was found, what follows.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "iteration/iteration.hpp"
#include "iteration/pending_update.hpp"

namespace halfling {

class Scaling {
 public:
  Scaling(Graph& graph, const IterationRequest& request) : graph_(graph), request_(request) {}

  /// 1 where the scaler is not active.
  Value scale_of(const std::string& operation) const;
  /// Looks whether the update's loss and, under an active scaler, its gradients are finite: fills `found`.
  void check(PendingUpdate& update);
  /// Whether anything that was checked so far has found something.
  Value any_found() const;
  /// One update per scaler and iteration, after all of its operations; none where none of them was checked.
  void update();

 private:
  std::string prefix_of(const std::string& operation) const;

  Graph& graph_;
  const IterationRequest& request_;
  std::vector<std::pair<std::string, Value>> checks_;  ///< by operation, in order: whether a run of it has
                                                       ///< found something
};

}  // namespace halfling
