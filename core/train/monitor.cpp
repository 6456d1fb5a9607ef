// SPDX-License-Identifier: Apache-2.0
#include "train/monitor.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>

#include "graph/passes.hpp"
#include "halfling/builder.hpp"
#include "halfling/error.hpp"
#include "plugin/suggest.hpp"
#include "train/host_value.hpp"

namespace halfling {
namespace {

constexpr const char* all_gradients = "gradients";
constexpr const char* all_activations = "activations";

bool matches(const std::string& pattern, const std::string& name) {
  return ::fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
}

bool matches(const std::string& pattern, const Observed& observed) {
  if (pattern == all_gradients) return observed.kind != "activation";
  if (pattern == all_activations) return observed.kind == "activation";
  return matches(pattern, observed.value);
}

std::vector<Observed> selected(const IterationGraph& iteration, const std::vector<std::string>& patterns) {
  std::vector<std::string> names;
  for (const Observed& observed : iteration.observed) names.push_back(observed.value);
  check_monitored(patterns, names);
  std::vector<Observed> result;
  for (const Observed& observed : iteration.observed)
    if (std::ranges::any_of(patterns, [&](const std::string& p) { return matches(p, observed); }))
      result.push_back(observed);
  return result;
}

/// Moves values and bits, and rounds nothing.
bool only_moves(Op op) {
  return op == Op::reshape || op == Op::broadcast || op == Op::slice || op == Op::concat || op == Op::detach;
}

class MonitorBuilder {
 public:
  MonitorBuilder(const IterationGraph& iteration, const std::vector<std::string>& patterns)
      : iteration_(iteration), selected_(selected(iteration, patterns)) {}

  MonitorGraph build() && {
    copy_iteration();
    for (const Observed& observed : selected_) count(observed);
    for (const std::string& operation : iteration_.operations)
      output("scaled_by." + operation, placed(output_value("scaled_by." + operation)));
    result_.graph = simplify(result_.graph);
    verify(result_.graph);
    return std::move(result_);
  }

 private:
  Graph& graph() { return result_.graph; }
  ValueId placed(ValueId id) const { return placed_[static_cast<std::size_t>(id)]; }
  ValueId output_value(const std::string& name) const {
    return std::ranges::find(iteration_.graph.outputs(), name, &Port::name)->value;
  }
  void output(const std::string& name, ValueId id) { graph().output(name, id); }

  void copy_iteration() {
    std::map<std::string, ValueId> inputs;
    for (const Port& port : iteration_.graph.inputs()) {
      const ValueInfo& info = iteration_.graph.value(port.value);
      inputs[port.name] = graph().input(port.name, info.dtype, info.shape);
    }
    placed_ = append_graph(graph(), iteration_.graph, inputs);
    for (const State& state : iteration_.graph.states())
      graph().assign(state.name, graph().find_state(state.name)->first);
  }

  void count(const Observed& observed) {
    const ValueId stored = as_rounded(placed(output_value(observed.output)));
    const ValueId exact = unrounded(stored);
    const auto known = std::ranges::find_if(result_.values, [&](const MonitoredValue& value) {
      return value.what.kind == observed.kind && value.what.operation == observed.operation &&
             value.what.value == observed.value;
    });
    MonitoredValue& value =
        known == result_.values.end()
            ? result_.values.emplace_back(MonitoredValue{observed, graph().value(stored).dtype, {}, {}})
            : *known;
    value.exact.push_back(histogram(exact));
    value.stored.push_back(stored == exact ? value.exact.back() : histogram(stored));
  }

  std::string histogram(ValueId id) {
    const std::string name = fmt::format("histogram.{}", graph().outputs().size());
    output(name, exponent_histogram({&graph(), id}));
    return name;
  }

  /// The gradient of a parameter is widened after it was rounded to a half format.
  ValueId as_rounded(ValueId id) {
    const Node& producer = graph().node(graph().value(id).producer);
    if (producer.op != Op::cast) return id;
    const DType from = graph().value(producer.operands[0]).dtype;
    return is_half(from) && !is_half(graph().value(id).dtype) ? producer.operands[0] : id;
  }

  /// A value of a half format as it was before that rounding: its node once more with wide operands.
  ValueId unrounded(ValueId id) {
    if (!is_half(graph().value(id).dtype)) return id;
    const Node node = graph().node(graph().value(id).producer);  // a copy: appending may move the nodes
    if (class_of(node.op) == OpClass::source) return id;
    if (node.op == Op::cast) return node.operands[0];
    const Graph::Context before = graph().context();
    graph().context() = {node.scope, node.stage, node.compute};
    std::vector<ValueId> operands;
    for (const ValueId operand : node.operands)
      operands.push_back(only_moves(node.op) ? widened(unrounded(operand)) : widened(operand));
    const NodeId wide = graph().append(node.op, operands, node.attributes);
    graph().context() = before;
    return graph().node(wide).results[static_cast<std::size_t>(graph().value(id).result)];
  }

  ValueId widened(ValueId id) {
    if (!is_half(graph().value(id).dtype)) return id;
    return cast({&graph(), id}, DType::f32);
  }

  const IterationGraph& iteration_;
  std::vector<Observed> selected_;
  std::vector<ValueId> placed_;  ///< by value of the iteration
  MonitorGraph result_;
};

}  // namespace

std::vector<std::string> observable_names(const Graph& forward) {
  std::vector<std::string> names;
  for (const State& state : forward.states())
    if (state.role == StateRole::parameter) names.push_back(state.name);
  for (const Node& node : forward.nodes())
    if (is_observable(node)) names.push_back(node.scope);
  return names;
}

void check_monitored(const std::vector<std::string>& patterns, const std::vector<std::string>& names) {
  for (const std::string& pattern : patterns) {
    if (pattern == all_gradients || pattern == all_activations) continue;
    if (std::ranges::any_of(names, [&](const std::string& name) { return matches(pattern, name); })) continue;
    std::vector<std::string> known = names;
    known.insert(known.end(), {all_gradients, all_activations});
    throw Error({.what = "the monitor has nothing of this name to look at",
                 .where = "monitor.values",
                 .got = pattern,
                 .expected = "\"gradients\", \"activations\", or names of layers or parameters, with \"*\"",
                 .hint = did_you_mean(pattern, known),
                 .kind = ErrorKind::usage});
  }
}

MonitorGraph build_monitor(const IterationGraph& iteration, const std::vector<std::string>& patterns) {
  return MonitorBuilder(iteration, patterns).build();
}

Monitor::Monitor(Session& session, const IterationGraph& iteration, const std::vector<std::string>& patterns,
                 DType half)
    : monitor_(build_monitor(iteration, patterns)),
      half_(half),
      executable_(session.compile(monitor_.graph)) {}

ExponentHistogram Monitor::total(const std::vector<std::string>& outputs) {
  ExponentHistogram result;
  for (const std::string& output : outputs) {
    const std::vector<double> counts = read_numbers(*executable_, monitor_.graph, output);
    for (std::size_t i = 0; i < counts.size(); ++i) result.counts[i] += static_cast<std::int64_t>(counts[i]);
  }
  return result;
}

std::vector<Observation> Monitor::observe(const Batch& batch) {
  executable_->write("images", std::as_bytes(batch.images));
  executable_->write("labels", std::as_bytes(batch.labels));
  executable_->run();
  std::vector<Observation> result;
  for (const MonitoredValue& value : monitor_.values) {
    const Observed& what = value.what;
    const double scale =
        what.operation.empty() ? 1 : read_number(*executable_, monitor_.graph, "scaled_by." + what.operation);
    result.push_back({0, what.kind, what.operation, what.value, value.format,
                      is_half(value.format) ? value.format : half_, scale, total(value.exact),
                      total(value.stored).zeros()});
  }
  return result;
}

}  // namespace halfling
