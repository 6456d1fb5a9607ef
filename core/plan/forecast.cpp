// SPDX-License-Identifier: Apache-2.0
#include "plan/forecast.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "halfling/cost.hpp"
#include "halfling/memory_plan.hpp"
#include "iteration/monitor_graph.hpp"
#include "plan/iterations.hpp"

namespace halfling {
namespace {

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

void add(Work& work, const Cost& cost, double share) {
  work.flops += share * cost.flops;
  work.bytes += share * cost.bytes;
}

/// `share`: of the iterations, those that run this graph. Returns the casts between float formats.
double add_work(const Graph& graph, double share, Forecast& forecast) {
  double casts = 0;
  for (const Node& node : graph.nodes()) {
    const Cost cost = cost_of(graph, node);
    add(node.stage == Stage::forward    ? forecast.forward
        : node.stage == Stage::backward ? forecast.backward
                                        : forecast.update,
        cost, share);
    if (!is_float_cast(graph, node)) continue;
    casts += share;
    add(forecast.cast_work, cost, share);
  }
  return casts;
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

/// Of a trial: its iterations, and what else has an executable of its own.
MemoryForecast memory_of(const Experiment& e, const Platform& platform, const BatchSpec& spec,
                         const Iterations& iterations, const IterationMaker& maker) {
  MemoryForecast memory = memory_of(iterations.graphs.front().graph);
  for (std::size_t i = 1; i < iterations.graphs.size(); ++i) {
    const MemoryForecast other = memory_of(iterations.graphs[i].graph);
    memory.activations += other.activations;
    memory.gradients += other.gradients;
    memory.updates += other.updates;
  }
  if (!platform.device.own_memory) memory.snapshot = memory.states();
  const BatchSpec grid{e.sample.rows * spec.classes, spec.image, spec.classes, spec.values};
  memory.grids = memory_of(build_sampling(*platform.architecture, *platform.policy, grid)).temporaries();
  if (e.monitor.every)
    memory.monitor = memory_of(build_monitor(maker.observed(spec), e.monitor.values).graph).temporaries();
  return memory;
}

/// States and grids do not grow with the batch, and the other temporaries are a line over it: two graphs tell
/// the line.
std::int64_t largest_batch(std::uint64_t device, std::int64_t batch, const MemoryForecast& here,
                           const MemoryForecast& twice) {
  if (device == 0) return 0;
  const double at_batch = static_cast<double>(here.total());
  const double slope = (static_cast<double>(twice.total()) - at_batch) / static_cast<double>(batch);
  const double fixed = at_batch - slope * static_cast<double>(batch);
  if (slope <= 0 || static_cast<double>(device) <= fixed) return 0;
  return static_cast<std::int64_t>((static_cast<double>(device) - fixed) / slope);
}

}  // namespace

Forecast forecast(const Experiment& experiment, const Registry& registry, const Platform& platform,
                  const DataFacts& data) {
  Forecast result;
  const std::int64_t batch = experiment.input.batch_size;
  for (const Phase& phase : platform.architecture->training(spec_of(data, batch)))
    add_layers(apply_precision(phase.graph, *platform.policy).graph, result.layers);
  IterationMaker maker(experiment, registry, platform, data);
  const BatchSpec spec = spec_of(data, batch), twice = spec_of(data, 2 * batch);
  const Iterations iterations = maker.all(spec);
  const IterationGraph& whole = iterations.graphs.front();
  result.operations = whole.operations;
  result.samples_per_iteration = batch * whole.batches;
  result.variants = static_cast<std::int64_t>(iterations.graphs.size());
  for (const State& state : whole.graph.states())
    if (state.role == StateRole::parameter) result.parameters += state.shape.elements();
  double casts = 0;
  for (std::size_t i = 0; i < iterations.graphs.size(); ++i)
    casts += add_work(iterations.graphs[i].graph, iterations.cycle.share_of(i), result);
  result.casts = std::llround(casts);
  result.memory = memory_of(experiment, platform, spec, iterations, maker);
  result.largest_batch = largest_batch(platform.device.memory, batch, result.memory,
                                       memory_of(experiment, platform, twice, maker.all(twice), maker));
  return result;
}

namespace {

std::string mib(std::uint64_t bytes) {
  return fmt::format("{} MiB", bytes >> 20);
}

/// The option to turn, and how far.
struct Remedy {
  std::string key, hint;
};

Remedy remedy(const Forecast& forecast, std::uint64_t device) {
  const MemoryForecast& m = forecast.memory;
  if (device == 0) return {"input.batch_size", "lower input.batch_size, or make the networks smaller"};
  if (m.total() > device && m.total() - m.grids <= device)
    return {"sample.rows", fmt::format("lower sample.rows: image grids take {} of it", mib(m.grids))};
  Remedy result{"input.batch_size", "make the networks smaller: not even a batch of 1 is predicted to fit"};
  if (forecast.largest_batch > 0)
    result.hint = fmt::format("lower input.batch_size: the largest that is predicted to fit is {}",
                              forecast.largest_batch);
  if (m.monitor > 0) result.hint += fmt::format("; the monitor takes {} of it", mib(m.monitor));
  return result;
}

}  // namespace

Error memory_error(std::string what, const Experiment& experiment, const Forecast& forecast,
                   const Platform& platform) {
  const std::uint64_t device = platform.device.memory;
  const auto [key, hint] = remedy(forecast, device);
  return Error(
      {.what = std::move(what),
       .where = key + (experiment.label.empty() ? "" : ", trial " + experiment.label),
       .got = fmt::format("{} predicted, with batches of {}", mib(forecast.memory.total()),
                          experiment.input.batch_size),
       .expected = device == 0 ? "" : fmt::format("at most the {} of {}", mib(device), platform.device.name),
       .hint = hint,
       .kind = ErrorKind::usage});
}

std::optional<Error> memory_refusal(const Experiment& experiment, const Registry& registry,
                                    const Platform& platform, const DataFacts& data) {
  const BatchSpec spec = spec_of(data, experiment.input.batch_size);
  IterationMaker maker(experiment, registry, platform, data);
  const Iterations iterations = maker.all(spec);
  if (platform.device.memory == 0) return std::nullopt;
  if (memory_of(experiment, platform, spec, iterations, maker).total() <= platform.device.memory)
    return std::nullopt;
  return memory_error("the trial needs more memory than its device has", experiment,
                      forecast(experiment, registry, platform, data), platform);
}

}  // namespace halfling
