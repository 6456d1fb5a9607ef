// SPDX-License-Identifier: Apache-2.0
#include "train/forecast.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "graph/memory_plan.hpp"
#include "graph/op_table.hpp"
#include "train/iteration.hpp"

namespace halfling {
namespace {

BatchSpec spec_of(const DataFacts& data, std::int64_t batch) {
  return {batch, data.image, static_cast<std::int64_t>(data.classes.size())};
}

IterationGraph iteration_of(const Experiment& e, const Registry& registry, const Engine& engine,
                            const BatchSpec& spec) {
  const auto scaler = registry.create<LossScaler>(e.loss_scaler.use, e.loss_scaler.options);
  const auto optimizer = registry.create<Optimizer>(e.optimizer.use, e.optimizer.options);
  std::vector<std::unique_ptr<Optimizer>> own;
  IterationRequest request{.architecture = engine.architecture.get(),
                           .policy = engine.policy.get(),
                           .scaler = scaler.get(),
                           .scope = e.scope,
                           .skip_together = e.skip_together,
                           .optimizers = {},
                           .optimizer = optimizer.get(),
                           .spec = spec};
  for (const auto& [operation, options] : e.optimizer_of)
    request.optimizers[operation] =
        own.emplace_back(registry.create<Optimizer>(e.optimizer.use, options)).get();
  return build_iteration(request);
}

/// A precision policy leaves a layer's scope to its casts, too, so the layer's own op says what it is.
bool is_layer(const Node& node) {
  const OpClass op_class = class_of(node.op);
  return op_class == OpClass::contraction || op_class == OpClass::normalization;
}

std::int64_t parameters_of(const Graph& graph, const std::string& layer) {
  std::int64_t count = 0;
  for (const State& state : graph.states())
    if (state.role == StateRole::parameter && state.name.starts_with(layer + "."))
      count += state.shape.elements();
  return count;
}

void add_layers(const Graph& graph, std::vector<Layer>& layers) {
  for (const Node& node : graph.nodes()) {
    if (!is_layer(node) || std::ranges::find(layers, node.scope, &Layer::name) != layers.end()) continue;
    const ValueInfo& result = graph.value(node.results[0]);
    layers.push_back({.network = node.scope.substr(0, node.scope.find('.')),
                      .name = node.scope,
                      .op = std::string(name_of(node.op)),
                      .shape = result.shape,
                      .parameters = parameters_of(graph, node.scope),
                      .io = graph.value(node.operands[0]).dtype,
                      .compute = node.compute});
  }
}

bool is_float_cast(const Graph& graph, const Node& node) {
  return node.op == Op::cast && is_float(graph.value(node.operands[0]).dtype) &&
         is_float(graph.value(node.results[0]).dtype);
}

void add_work(const Graph& graph, Forecast& forecast) {
  for (const Node& node : graph.nodes()) {
    const Cost cost = cost_of(graph, node);
    Work& work = node.stage == Stage::forward    ? forecast.forward
                 : node.stage == Stage::backward ? forecast.backward
                                                 : forecast.update;
    work.flops += cost.flops;
    work.bytes += cost.bytes;
    if (!is_float_cast(graph, node)) continue;
    ++forecast.casts;
    forecast.cast_work.flops += cost.flops;
    forecast.cast_work.bytes += cost.bytes;
  }
}

MemoryForecast memory_of(const Graph& graph) {
  MemoryForecast memory;
  for (const State& state : graph.states()) {
    std::uint64_t& bytes = state.role == StateRole::parameter   ? memory.parameters
                           : state.role == StateRole::optimizer ? memory.optimizer
                                                                : memory.other_states;
    bytes += static_cast<std::uint64_t>(state.shape.elements()) * size_of(state.dtype);
  }
  std::vector<Lifetime> lifetimes = lifetimes_of(graph);
  for (const Node& node : graph.nodes())  // updates run in place, also where a state is updated twice
    if (class_of(node.op) == OpClass::update)
      for (const ValueId result : node.results) lifetimes[static_cast<std::size_t>(result)].bytes = 0;
  std::vector<std::int64_t> change(graph.nodes().size() + 1, 0);
  for (const Lifetime& lifetime : lifetimes) {
    change[static_cast<std::size_t>(lifetime.first)] += static_cast<std::int64_t>(lifetime.bytes);
    change[static_cast<std::size_t>(lifetime.last) + 1] -= static_cast<std::int64_t>(lifetime.bytes);
  }
  int fullest = 0;
  std::int64_t alive = 0, most = 0;
  for (std::size_t step = 0; step < change.size(); ++step) {
    alive += change[step];
    if (alive > most) most = alive, fullest = static_cast<int>(step);
  }
  for (std::size_t i = 0; i < lifetimes.size(); ++i) {
    if (lifetimes[i].first > fullest || lifetimes[i].last < fullest) continue;
    const Stage stage = graph.node(graph.values()[i].producer).stage;
    (stage == Stage::forward    ? memory.activations
     : stage == Stage::backward ? memory.gradients
                                : memory.updates) += lifetimes[i].bytes;
  }
  return memory;
}

/// States do not grow with the batch, and temporaries are a line over it: two graphs tell the line.
std::int64_t largest_batch(std::uint64_t device, std::int64_t batch, const MemoryForecast& here,
                           const MemoryForecast& twice) {
  if (device == 0) return 0;
  const double at_batch = static_cast<double>(here.temporaries());
  const double slope = (static_cast<double>(twice.temporaries()) - at_batch) / static_cast<double>(batch);
  const double fixed = static_cast<double>(here.states()) + at_batch - slope * static_cast<double>(batch);
  if (slope <= 0 || static_cast<double>(device) <= fixed) return 0;
  return static_cast<std::int64_t>((static_cast<double>(device) - fixed) / slope);
}

}  // namespace

Forecast forecast(const Experiment& experiment, const Registry& registry, const Engine& engine,
                  const DataFacts& data) {
  Forecast result;
  const std::int64_t batch = experiment.input.batch_size;
  for (const Phase& phase : engine.architecture->training(spec_of(data, batch)))
    add_layers(apply_precision(phase.graph, *engine.policy).graph, result.layers);
  const IterationGraph iteration = iteration_of(experiment, registry, engine, spec_of(data, batch));
  result.operations = iteration.operations;
  for (const State& state : iteration.graph.states())
    if (state.role == StateRole::parameter) result.parameters += state.shape.elements();
  add_work(iteration.graph, result);
  result.memory = memory_of(iteration.graph);
  const IterationGraph twice = iteration_of(experiment, registry, engine, spec_of(data, 2 * batch));
  result.largest_batch = largest_batch(engine.device.memory, batch, result.memory, memory_of(twice.graph));
  return result;
}

Error memory_error(std::string what, const Experiment& experiment, const Forecast& forecast,
                   const Engine& engine) {
  const auto mib = [](std::uint64_t bytes) { return fmt::format("{} MiB", bytes >> 20); };
  const std::uint64_t device = engine.device.memory;
  std::string hint = "lower input.batch_size, or make the networks smaller";
  if (forecast.largest_batch > 0)
    hint = fmt::format("lower input.batch_size: the largest that is predicted to fit is {}",
                       forecast.largest_batch);
  else if (device != 0)
    hint = "make the networks smaller: not even a batch of 1 is predicted to fit";
  return Error(
      {.what = std::move(what),
       .where = "input.batch_size" + (experiment.label.empty() ? "" : ", trial " + experiment.label),
       .got = fmt::format("{} predicted, with batches of {}", mib(forecast.memory.total()),
                          experiment.input.batch_size),
       .expected = device == 0 ? "" : fmt::format("at most the {} of {}", mib(device), engine.device.name),
       .hint = std::move(hint),
       .kind = ErrorKind::usage});
}

void check_memory(const Experiment& experiment, const Registry& registry, const Engine& engine,
                  const DataFacts& data) {
  if (engine.device.memory == 0) return;
  const Graph graph =
      iteration_of(experiment, registry, engine, spec_of(data, experiment.input.batch_size)).graph;
  if (memory_of(graph).total() <= engine.device.memory) return;
  throw memory_error("the trial needs more memory than its device has", experiment,
                     forecast(experiment, registry, engine, data), engine);
}

}  // namespace halfling
