// SPDX-License-Identifier: Apache-2.0
#include "train/iteration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "graph/passes.hpp"
#include "halfling/error.hpp"
#include "halfling/gradient.hpp"
#include "halfling/random.hpp"
#include "train/weight_gradient.hpp"

namespace halfling {
namespace {

/// A parameter of a phase, at the version that its forward pass read.
struct Parameter {
  std::string name;
  ValueId value;
};

/// The result of a layer's contraction or normalization.
struct LayerResult {
  std::string layer;
  ValueId value;
};

/// A training operation between its gradients and its update.
struct Pending {
  std::string name;
  ValueId loss;
  Value scale;
  std::vector<Parameter> parameters;  ///< those with a gradient
  std::vector<ValueId> gradients;
  Value found;  ///< its loss, or under an active scaler a gradient, is not finite
};

class IterationBuilder {
 public:
  explicit IterationBuilder(const IterationRequest& request) : request_(request) {}

  IterationGraph build() && {
    declare_inputs();
    const std::vector<Phase> phases = request_.architecture->training(request_.spec);
    check_policy(phases);
    for (const Phase& phase : phases) add_phase(phase);
    finish_scaling();
    if (!request_.given_noise) graph_.assign("random", graph_.append_value(Op::advance_random, {random_}));
    result_.graph = simplify(graph_);
    if (!request_.observe)
      verify(result_.graph);  // the scale before its update: only build_monitor can read it
    return std::move(result_);
  }

 private:
  void declare_inputs() {
    const BatchSpec& spec = request_.spec;
    const Shape shape{spec.batch, spec.image[0], spec.image[1], spec.image[2]};
    graph_.context().scope = "input";
    if (request_.given_float_images) {
      inputs_["images"] = graph_.input("images", DType::f32, shape);
    } else {
      const Value bytes{&graph_, graph_.input("images", DType::u8, shape)};
      inputs_["images"] = 1.0 / 255 * cast(bytes, DType::f32);
    }
    inputs_["labels"] = graph_.input("labels", DType::i32, {spec.batch});
    if (!request_.given_noise)
      random_ = graph_.state({.name = "random",
                              .dtype = DType::i32,
                              .shape = {4},
                              .initial = {Initial::Kind::random_counter, 0},
                              .role = StateRole::counter});
  }

  void check_policy(const std::vector<Phase>& phases) const {
    std::vector<const Graph*> graphs;
    for (const Phase& phase : phases) graphs.push_back(&phase.graph);
    const Graph sampling = request_.architecture->sampling(request_.spec);
    graphs.push_back(&sampling);
    request_.policy->check(graphs);
  }

  /// The noises that a phase asks for; one value serves every phase of the iteration.
  void draw_noises(const Graph& phase) {
    graph_.context().scope = "input";
    for (const Noise& noise : request_.architecture->noises()) {
      const auto port = std::ranges::find(phase.inputs(), noise.name, &Port::name);
      if (port == phase.inputs().end() || inputs_.contains(noise.name)) continue;
      const Shape& shape = phase.value(port->value).shape;
      inputs_[noise.name] =
          request_.given_noise
              ? graph_.input(noise.name, DType::f32, shape)
              : graph_.append_value(Op::random_uniform, {random_},
                                    RandomAttributes{shape, noise.low, noise.high, stream_of(noise.name)});
    }
  }

  void add_phase(const Phase& phase) {
    draw_noises(phase.graph);
    const PrecisionResult forward = apply_precision(phase.graph, *request_.policy);
    const auto begin = static_cast<NodeId>(graph_.nodes().size());
    const std::vector<ValueId> placed = append_graph(graph_, forward.graph, inputs_);
    const std::vector<LayerResult> layers = observed_layers(begin);
    const auto at = [&](ValueId id) { return placed[static_cast<std::size_t>(id)]; };
    std::vector<Pending> pending;
    for (const TrainingOperation& operation : phase.operations) {
      std::vector<Parameter> parameters;
      for (const State& state : forward.graph.states())
        if (state.role == StateRole::parameter && updates(operation, state.name))
          parameters.push_back({state.name, at(state.first)});
      const ValueId loss = at(forward.map[static_cast<std::size_t>(operation.loss)]);
      pending.push_back(differentiate(operation.name, loss, parameters, layers));
    }
    for (Pending& operation : pending) check(operation);
    for (const Pending& operation : pending) update(operation, skip_of(operation));
  }

  static bool updates(const TrainingOperation& operation, const std::string& parameter) {
    return std::ranges::any_of(operation.updates,
                               [&](const std::string& prefix) { return parameter.starts_with(prefix); });
  }

  std::string scaler_prefix(const std::string& operation) const {
    return request_.scope == ScalerScope::shared ? "scaler" : "scaler." + operation;
  }

  /// The layers among the nodes from `begin` on, which become outputs; none unless they are to be observed.
  std::vector<LayerResult> observed_layers(NodeId begin) {
    std::vector<LayerResult> layers;
    if (!request_.observe) return layers;
    for (auto id = static_cast<std::size_t>(begin); id < graph_.nodes().size(); ++id) {
      const Node& node = graph_.nodes()[id];
      if (!is_observable(node)) continue;
      layers.push_back({node.scope, node.results[0]});
      observe("activation", "", node.scope, node.results[0]);
    }
    return layers;
  }

  void observe(const char* kind, const std::string& operation, const std::string& value, ValueId id) {
    const std::string output = fmt::format("observed.{}", result_.observed.size());
    graph_.output(output, id);
    result_.observed.push_back({kind, operation, value, output});
  }

  void observe_gradients(const Pending& pending, const std::vector<LayerResult>& layers,
                         std::span<const ValueId> gradients) {
    if (!request_.observe) return;
    graph_.output("scaled_by." + pending.name, pending.scale);
    for (std::size_t i = 0; i < pending.parameters.size(); ++i)
      observe("gradient", pending.name, pending.parameters[i].name, pending.gradients[i]);
    for (std::size_t i = 0; i < layers.size(); ++i)
      if (gradients[i] != no_value)
        observe("activation gradient", pending.name, layers[i].layer, gradients[i]);
  }

  Pending differentiate(const std::string& name, ValueId loss, const std::vector<Parameter>& parameters,
                        const std::vector<LayerResult>& layers) {
    graph_.context().scope = name + ".scaler";
    Pending pending{name, loss, request_.scaler->scale(graph_, scaler_prefix(name)), {}, {}, {}};
    const Value seed = cast(pending.scale, graph_.value(loss).dtype);
    std::vector<ValueId> targets;
    for (const Parameter& parameter : parameters) targets.push_back(parameter.value);
    for (const LayerResult& layer : layers) targets.push_back(layer.value);
    const std::vector<ValueId> losses{loss}, seeds{seed};
    const std::vector<ValueId> gradients = gradient(graph_, losses, seeds, targets);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      if (gradients[i] == no_value) continue;  // left alone by this operation
      pending.parameters.push_back(parameters[i]);
      pending.gradients.push_back(
          request_.policy->wide_weight_gradients() ? widen_gradient(graph_, gradients[i]) : gradients[i]);
    }
    observe_gradients(pending, layers, std::span(gradients).subspan(parameters.size()));
    if (pending.gradients.empty())
      throw Error({.what = fmt::format("training operation {} has nothing to update", name),
                   .where = "architecture",
                   .got = "a loss that depends on none of its parameters",
                   .expected = "a loss with a path to at least one parameter that it updates",
                   .hint = "check the operation's list of parameter prefixes, and what is detached",
                   .kind = ErrorKind::usage});
    return pending;
  }

  void check(Pending& pending) {
    graph_.context() = {pending.name + ".update", Stage::update, {}};
    std::vector<ValueId> checked{pending.loss};
    if (request_.scaler->active())
      checked.insert(checked.end(), pending.gradients.begin(), pending.gradients.end());
    pending.found = any_nonfinite(graph_, checked);
    checks_.push_back({pending.name, pending.found});
  }

  /// Updates of earlier phases are made already when a later one overflows: only what is still to come can be
  /// skipped with it.
  Value skip_of(const Pending& pending) { return request_.skip_together ? any_found() : pending.found; }

  Value any_found() {
    Value found = checks_.front().second;
    for (std::size_t i = 1; i < checks_.size(); ++i) found = logical_or(found, checks_[i].second);
    return found;
  }

  void update(const Pending& pending, Value skip) {
    graph_.context() = {pending.name + ".update", Stage::update, {}};
    const std::string prefix = "optimizer." + pending.name;
    const Value made = state(graph_, {.name = prefix + ".updates",
                                      .dtype = DType::i32,
                                      .shape = {},
                                      .initial = {},
                                      .role = StateRole::counter});
    const Value step{&graph_, graph_.append_value(Op::count, {made, skip})};
    graph_.assign(prefix + ".updates", step);
    const Value inverse_scale = constant(graph_, 1) / pending.scale;
    const auto own = request_.optimizers.find(pending.name);
    const Optimizer& optimizer = own == request_.optimizers.end() ? *request_.optimizer : *own->second;
    for (std::size_t i = 0; i < pending.parameters.size(); ++i) {
      const std::string& name = pending.parameters[i].name;
      graph_.context().scope = name;
      const Value latest{&graph_, graph_.find_state(name)->latest};
      const Value gradient{&graph_, pending.gradients[i]};
      graph_.assign(name,
                    optimizer.update({prefix + "." + name, latest, gradient, inverse_scale, skip, step}));
    }
    report(pending, skip, step);
  }

  void report(const Pending& pending, Value skip, Value step) {
    const std::string& name = pending.name;
    result_.operations.push_back(name);
    graph_.context() = {name + ".update", Stage::update, {}};
    graph_.output("loss." + name, pending.loss);
    graph_.output("skipped." + name, skip);
    graph_.output("updates." + name, step);
    const Value found = tally(name + ".found");
    graph_.assign("scaler." + name + ".found", select(pending.found, found + 1.0, found));
    const Value run = tally(name + ".skipped_in_a_row");
    graph_.assign("scaler." + name + ".skipped_in_a_row", select(skip, run + 1.0, constant(graph_, 0)));
    graph_.output("found." + name, graph_.find_state("scaler." + name + ".found")->latest);
    graph_.output("skipped_in_a_row." + name,
                  graph_.find_state("scaler." + name + ".skipped_in_a_row")->latest);
    graph_.context() = {};
  }

  Value tally(const std::string& name) {
    return state(graph_, {.name = "scaler." + name,
                          .dtype = DType::f32,
                          .shape = {},
                          .initial = {},
                          .role = StateRole::scaler});
  }

  /// One update per scaler and iteration, after all of its operations.
  void finish_scaling() {
    graph_.context() = {"scaler", Stage::update, {}};
    if (request_.scaler->active()) update_scales();
    for (const auto& [name, found] : checks_)
      graph_.output("scale." + name, request_.scaler->scale(graph_, scaler_prefix(name)));
  }

  void update_scales() {
    if (request_.scope == ScalerScope::shared)
      request_.scaler->update(graph_, scaler_prefix(""), any_found());
    else
      for (const auto& [name, found] : checks_) request_.scaler->update(graph_, scaler_prefix(name), found);
  }

  const IterationRequest& request_;
  Graph graph_;
  ValueId random_ = no_value;
  std::map<std::string, ValueId> inputs_;
  std::vector<std::pair<std::string, Value>> checks_;  ///< by operation, in order: what was found
  IterationGraph result_;
};

}  // namespace

IterationGraph build_iteration(const IterationRequest& request) {
  return IterationBuilder(request).build();
}

Graph build_sampling(const Architecture& architecture, const PrecisionPolicy& policy, const BatchSpec& spec) {
  Graph graph = simplify(apply_precision(architecture.sampling(spec), policy).graph);
  verify(graph);
  return graph;
}

DiagnosticGraph build_diagnostic(const Graph& iteration) {
  DiagnosticGraph result;
  std::map<std::string, ValueId> inputs;
  for (const Port& port : iteration.inputs()) {
    const ValueInfo& info = iteration.value(port.value);
    inputs[port.name] = result.graph.input(port.name, info.dtype, info.shape);
  }
  const std::vector<ValueId> placed = append_graph(result.graph, iteration, inputs);
  for (const State& state : iteration.states())
    result.graph.assign(state.name, result.graph.find_state(state.name)->first);
  for (const Node& node : iteration.nodes()) {
    if (node.stage == Stage::update || node.op == Op::constant) continue;
    for (const ValueId id : node.results) {
      if (!is_float(iteration.value(id).dtype)) continue;
      const std::string name = fmt::format("nonfinite.{}", id);
      result.graph.output(name, any_nonfinite(result.graph, {placed[static_cast<std::size_t>(id)]}));
      result.values.push_back({name, iteration.describe(id), node.stage});
    }
  }
  result.graph = simplify(result.graph);
  verify(result.graph);
  return result;
}

}  // namespace halfling
