// SPDX-License-Identifier: Apache-2.0
#include "iteration/iteration.hpp"

#include "graph/passes.hpp"
#include "iteration/average.hpp"
#include "iteration/collective.hpp"
#include "iteration/inputs.hpp"
#include "iteration/operation_outputs.hpp"
#include "iteration/phase_gradients.hpp"
#include "iteration/scaling.hpp"
#include "iteration/updates.hpp"

namespace halfling {
namespace {

class IterationBuilder {
 public:
  explicit IterationBuilder(const IterationRequest& request)
      : request_(request), phases_(request.architecture->training(request.spec)) {}

  IterationGraph build() && {
    check_policy();
    result_.batches = cycle_.batches();
    for (std::size_t i = 0; i < phases_.size(); ++i)
      if (runs(i)) add(phases_[i]);
    scaling_.update();
    for (std::size_t i = 0; i < phases_.size(); ++i) outputs_.finish(phases_[i], runs(i));
    for (const std::string& name : result_.operations)
      result_.schedules.push_back(updates_.schedule_of(name));
    output_scales();
    keep_averages();
    inputs_.advance();
    result_.graph = simplify(result_.graph);
    if (!request_.observe)
      verify(result_.graph);  // the scale before its update: only build_monitor can read it
    return std::move(result_);
  }

 private:
  bool runs(std::size_t phase) const { return cycle_.runs(request_.variant, phase); }

  void check_policy() const {
    std::vector<const Graph*> graphs;
    for (const Phase& phase : phases_) graphs.push_back(&phase.graph);
    const Graph sampling = request_.architecture->sampling(request_.spec);
    graphs.push_back(&sampling);
    request_.policy->check(graphs);
  }

  /// Each run on a batch of its own, the last one on the iteration's last.
  void add(const Phase& phase) {
    for (std::int64_t batch = cycle_.batches() - phase.repeat; batch < cycle_.batches(); ++batch) {
      std::vector<PendingUpdate> pending = gradients_.append(phase, inputs_.of(phase.graph, batch));
      for (PendingUpdate& update : pending) combine_gradients(update, request_.world);
      for (PendingUpdate& update : pending) scaling_.check(update);
      for (const PendingUpdate& update : pending) {
        const Value skip = skip_of(update);
        outputs_.record(update, skip, updates_.append(update, skip));
      }
    }
  }

  /// Updates that were made before a later one overflows stay: only what is still to come can be skipped with
  /// it.
  Value skip_of(const PendingUpdate& update) const {
    return request_.skip_together ? scaling_.any_found() : update.found;
  }

  void output_scales() {
    result_.graph.context() = {"scaler", Stage::update, {}};
    for (const std::string& name : result_.operations)
      result_.graph.output("scale." + name, scaling_.scale_of(name));
  }

  void keep_averages() {
    if (!request_.average.active()) return;
    const Graph sampling = build_sampling(*request_.architecture, *request_.policy, request_.spec);
    append_averages(result_.graph, request_.average, averaged_states(sampling, request_.average),
                    updates_.made());
  }

  const IterationRequest& request_;
  std::vector<Phase> phases_;
  Cycle cycle_{phases_};
  IterationGraph result_;
  IterationInputs inputs_{result_.graph, request_, cycle_.batches()};
  Scaling scaling_{result_.graph, request_};
  PhaseGradients gradients_{result_, request_, scaling_};
  Updates updates_{result_.graph, request_, phases_};
  OperationOutputs outputs_{result_, request_};
};

Graph under_policy(const Graph& forward, const PrecisionPolicy& policy) {
  Graph graph = simplify(apply_precision(forward, policy).graph);
  verify(graph);
  return graph;
}

}  // namespace

IterationGraph build_iteration(const IterationRequest& request) {
  return IterationBuilder(request).build();
}

Graph build_sampling(const Architecture& architecture, const PrecisionPolicy& policy, const BatchSpec& spec) {
  return under_policy(architecture.sampling(spec), policy);
}

Graph build_classification(const Architecture& architecture, const PrecisionPolicy& policy,
                           const BatchSpec& spec) {
  return under_policy(architecture.classification(spec), policy);
}

}  // namespace halfling
