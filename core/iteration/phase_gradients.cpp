// SPDX-License-Identifier: Apache-2.0
#include "iteration/phase_gradients.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "graph/passes.hpp"
#include "halfling/error.hpp"
#include "halfling/gradient.hpp"
#include "iteration/weight_gradient.hpp"

namespace halfling {
namespace {

bool updates(const TrainingOperation& operation, const std::string& parameter) {
  return std::ranges::any_of(operation.updates,
                             [&](const std::string& prefix) { return parameter.starts_with(prefix); });
}

void require_something_to_update(const PendingUpdate& update) {
  if (!update.gradients.empty()) return;
  throw Error({.what = fmt::format("training operation {} has nothing to update", update.name),
               .where = "architecture",
               .got = "a loss that depends on none of its parameters",
               .expected = "a loss with a path to at least one parameter that it updates",
               .hint = "check the operation's list of parameter prefixes, and what is detached",
               .kind = ErrorKind::usage});
}

}  // namespace

std::vector<PendingUpdate> PhaseGradients::append(const Phase& phase,
                                                  const std::map<std::string, ValueId>& inputs) {
  const PrecisionResult forward = apply_precision(phase.graph, *request_.policy);
  const auto begin = static_cast<NodeId>(graph().nodes().size());
  const std::vector<ValueId> placed = append_graph(graph(), forward.graph, inputs);
  const std::vector<LayerResult> layers = observed_layers(begin);
  const auto at = [&](ValueId id) { return placed[static_cast<std::size_t>(id)]; };
  std::vector<PendingUpdate> pending;
  for (const TrainingOperation& operation : phase.operations) {
    std::vector<Parameter> parameters;
    for (const State& state : forward.graph.states())
      if (state.role == StateRole::parameter && updates(operation, state.name))
        parameters.push_back({state.name, at(state.first)});
    const ValueId loss = at(forward.map[static_cast<std::size_t>(operation.loss)]);
    pending.push_back(differentiate(operation, loss, parameters, layers));
  }
  return pending;
}

/// The layers among the nodes from `begin` on, which become outputs; none unless they are to be observed.
std::vector<PhaseGradients::LayerResult> PhaseGradients::observed_layers(NodeId begin) {
  std::vector<LayerResult> layers;
  if (!request_.observe) return layers;
  for (auto id = static_cast<std::size_t>(begin); id < graph().nodes().size(); ++id) {
    const Node& node = graph().nodes()[id];
    if (!is_observable(node) || node.stage != Stage::forward) continue;  // a gradient in a loss is no layer
    layers.push_back({node.scope, node.results[0]});
    observe("activation", "", node.scope, node.results[0]);
  }
  return layers;
}

void PhaseGradients::observe(const char* kind, const std::string& operation, const std::string& value,
                             ValueId id) {
  const std::string output = fmt::format("observed.{}", iteration_.observed.size());
  graph().output(output, id);
  iteration_.observed.push_back({kind, operation, value, output});
}

void PhaseGradients::observe_gradients(const PendingUpdate& update, const std::vector<LayerResult>& layers,
                                       std::span<const ValueId> gradients) {
  if (!request_.observe) return;
  const std::string scale = "scaled_by." + update.name;
  if (std::ranges::find(graph().outputs(), scale, &Port::name) == graph().outputs().end())
    graph().output(scale, update.scale);
  for (std::size_t i = 0; i < update.parameters.size(); ++i)
    observe("gradient", update.name, update.parameters[i].name, update.gradients[i]);
  for (std::size_t i = 0; i < layers.size(); ++i)
    if (gradients[i] != no_value) observe("activation gradient", update.name, layers[i].layer, gradients[i]);
}

PendingUpdate PhaseGradients::differentiate(const TrainingOperation& operation, ValueId loss,
                                            const std::vector<Parameter>& parameters,
                                            const std::vector<LayerResult>& layers) {
  graph().context().scope = operation.name + ".scaler";
  PendingUpdate update{operation.name, operation.shares, loss, scaling_.scale_of(operation.name), {}, {}, {}};
  const Value seed = cast(update.scale, graph().value(loss).dtype);
  std::vector<ValueId> targets;
  for (const Parameter& parameter : parameters) targets.push_back(parameter.value);
  for (const LayerResult& layer : layers) targets.push_back(layer.value);
  const std::vector<ValueId> losses{loss}, seeds{seed};
  const std::vector<ValueId> gradients = gradient(graph(), losses, seeds, targets);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (gradients[i] == no_value) continue;  // left alone by this operation
    update.parameters.push_back(parameters[i]);
    update.gradients.push_back(
        request_.policy->wide_weight_gradients() ? widen_gradient(graph(), gradients[i]) : gradients[i]);
  }
  observe_gradients(update, layers, std::span(gradients).subspan(parameters.size()));
  require_something_to_update(update);
  return update;
}

}  // namespace halfling
