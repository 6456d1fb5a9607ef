// SPDX-License-Identifier: Apache-2.0
#include "iteration/average.hpp"

#include <algorithm>
#include <map>

#include "graph/passes.hpp"
#include "halfling/error.hpp"

namespace halfling {
namespace {

constexpr const char* prefix = "average.";

std::string network_of(const std::string& state) {
  return state.substr(0, state.find('.'));
}

Shape ones(int rank) {
  Shape shape;
  for (int axis = 0; axis < rank; ++axis) shape.push_back(1);
  return shape;
}

/// Whether no update of the network was made.
Value all_skipped(Graph& graph, const std::string& network, const std::vector<MadeUpdate>& updates) {
  Value made = constant(graph, 0);
  for (const MadeUpdate& update : updates)
    if (network_of(update.parameter) == network)
      made = made + select(update.skip, constant(graph, 0), constant(graph, 1));
  return less(made, constant(graph, 0.5));
}

/// What a network's averages share.
struct Pace {
  Value skip;
  Value weight;  ///< of the new value
};

Pace pace_of(Graph& graph, const std::string& network, double decay, const std::vector<MadeUpdate>& updates) {
  graph.context() = {prefix + network, Stage::update, {}};
  const Value skip = all_skipped(graph, network, updates);
  const std::string counter = prefix + network + ".updates";
  const Value before = state(
      graph, {.name = counter, .dtype = DType::i32, .shape = {}, .initial = {}, .role = StateRole::counter});
  const Value made{&graph, graph.append_value(Op::count, {before, skip})};
  graph.assign(counter, made);
  const Value t = cast(made, DType::f32);
  return {skip, 1.0 - minimum(constant(graph, decay), (t + 1.0) / (t + 10.0))};
}

}  // namespace

std::string average_name(const std::string& state) {
  return prefix + state;
}

std::string averaged_state(const std::string& average) {
  return average.substr(std::string_view(prefix).size());
}

void append_averages(Graph& graph, const AverageSettings& settings, const std::vector<std::string>& states,
                     const std::vector<MadeUpdate>& updates) {
  std::map<std::string, Pace> paces;
  for (const std::string& name : states) {
    if (graph.find_state(name) == nullptr) continue;  // of a network that no phase of this variant runs
    const std::string network = network_of(name);
    auto pace = paces.find(network);
    if (pace == paces.end())
      pace = paces.emplace(network, pace_of(graph, network, settings.decay, updates)).first;
    graph.context() = {name, Stage::update, {}};
    const State source = *graph.find_state(name);
    const Value value{&graph, source.latest};
    const Value average = state(graph, {.name = average_name(name),
                                        .dtype = source.dtype,
                                        .shape = source.shape,
                                        .initial = source.initial,
                                        .role = StateRole::average});
    const Value weight = reshape(cast(pace->second.weight, source.dtype), ones(source.shape.rank()));
    graph.assign(average_name(name),
                 select(pace->second.skip, average, average + weight * (value - average)));
  }
  graph.context() = {};
}

std::vector<std::string> averaged_states(const Graph& sampling, const AverageSettings& settings) {
  const auto in = [](const State& state, const std::string& network) {
    return state.name.starts_with(network);
  };
  for (const std::string& network : settings.networks) {
    if (std::ranges::any_of(sampling.states(), [&](const State& state) { return in(state, network); }))
      continue;
    std::string known;
    for (const State& state : sampling.states())
      if (const std::string name = network_of(state.name) + "."; known.find(name) == std::string::npos)
        known += (known.empty() ? "" : ", ") + name;
    throw Error({.what = "sampling uses no network of this name, so there is nothing to average",
                 .where = "average.networks",
                 .got = network,
                 .expected = "prefixes of the parameters that sampling uses: " + known,
                 .hint = {},
                 .kind = ErrorKind::usage});
  }
  std::vector<std::string> names;
  for (const State& state : sampling.states())
    if ((state.role == StateRole::parameter || state.role == StateRole::statistic) &&
        (settings.networks.empty() ||
         std::ranges::any_of(settings.networks, [&](const std::string& n) { return in(state, n); })))
      names.push_back(state.name);
  return names;
}

Graph with_averages(const Graph& sampling, const std::vector<std::string>& states) {
  Graph result;
  std::map<std::string, ValueId> inputs;
  for (const Port& port : sampling.inputs()) {
    const ValueInfo& info = sampling.value(port.value);
    inputs[port.name] = result.input(port.name, info.dtype, info.shape);
  }
  const auto renamed = [&](const std::string& name) {
    return std::ranges::find(states, name) == states.end() ? name : average_name(name);
  };
  const std::vector<ValueId> placed = append_graph(result, sampling, inputs, renamed);
  for (const Port& port : sampling.outputs())
    result.output(port.name, placed[static_cast<std::size_t>(port.value)]);
  return result;
}

}  // namespace halfling
