// SPDX-License-Identifier: Apache-2.0
#include "iteration/monitor_graph.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/suggest.hpp"
#include "graph/passes.hpp"
#include "halfling/builder.hpp"
#include "halfling/error.hpp"
#include "halfling/pattern.hpp"
#include "iteration/diagnostic.hpp"

namespace halfling {
namespace {

constexpr const char* all_gradients = "gradients";
constexpr const char* all_activations = "activations";

bool is_wanted(const std::string& pattern, const Observed& observed) {
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
    if (std::ranges::any_of(patterns, [&](const std::string& p) { return is_wanted(p, observed); }))
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
    placed_ = copy_without_updates(graph(), iteration_.graph);
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
  std::vector<ErrorDetails> faults;
  for (const std::string& pattern : patterns) {
    if (pattern == all_gradients || pattern == all_activations) continue;
    if (std::ranges::any_of(names, [&](const std::string& name) { return matches(pattern, name); })) continue;
    std::vector<std::string> known = names;
    known.insert(known.end(), {all_gradients, all_activations});
    faults.push_back(
        {.what = "the monitor has nothing of this name to look at",
         .where = "monitor.values",
         .got = pattern,
         .expected = "\"gradients\", \"activations\", or names of layers or parameters, with \"*\"",
         .hint = did_you_mean(pattern, known),
         .kind = ErrorKind::usage});
  }
  throw_any(std::move(faults));
}

MonitorGraph build_monitor(const IterationGraph& iteration, const std::vector<std::string>& patterns) {
  return MonitorBuilder(iteration, patterns).build();
}

}  // namespace halfling
