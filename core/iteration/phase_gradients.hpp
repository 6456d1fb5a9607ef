// SPDX-License-Identifier: Apache-2.0
// A phase's forward pass in the iteration's graph, and the gradients of its training operations.
#pragma once

#include <span>
#include <vector>

#include "iteration/inputs.hpp"
#include "iteration/pending_update.hpp"
#include "iteration/scaling.hpp"

namespace halfling {

/// Appends phases to an iteration's graph.
class PhaseGradients {
 public:
  PhaseGradients(IterationGraph& iteration, const IterationRequest& request, const Scaling& scaling)
      : iteration_(iteration), request_(request), scaling_(scaling) {}

  /// The forward pass under the policy, then the scaled gradients of each operation's loss; all before the
  /// first update. Throws Error (usage) where a loss reaches no parameter that it should update.
  std::vector<PendingUpdate> append(const Phase& phase, const std::map<std::string, ValueId>& inputs);

 private:
  /// The result of a layer's contraction or normalization.
  struct LayerResult {
    std::string layer;
    ValueId value;
  };

  Graph& graph() { return iteration_.graph; }
  std::vector<LayerResult> observed_layers(NodeId begin);
  void observe(const char* kind, const std::string& operation, const std::string& value, ValueId id);
  void observe_gradients(const PendingUpdate& update, const std::vector<LayerResult>& layers,
                         std::span<const ValueId> gradients);
  PendingUpdate differentiate(const TrainingOperation& operation, ValueId loss,
                              const std::vector<Parameter>& parameters,
                              const std::vector<LayerResult>& layers);

  IterationGraph& iteration_;
  const IterationRequest& request_;
  const Scaling& scaling_;
};

}  // namespace halfling
