// SPDX-License-Identifier: Apache-2.0
#include "plan/formats.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace halfling {
namespace {

class Count {
 public:
  explicit Count(const Graph& graph) : graph_(graph) {}

  void add(DType format, const Shape& shape) {
    if (is_float(format)) elements_[format] += shape.elements();
  }
  void add_any(ValueId value) {
    elements_[graph_.value(value).dtype] += graph_.value(value).shape.elements();
  }
  void add(ValueId value) { add(graph_.value(value).dtype, graph_.value(value).shape); }

  void move_to(std::vector<FormatUse>& uses, const char* kind) const {
    if (elements_.empty()) return;
    FormatUse use{kind, {elements_.begin(), elements_.end()}};
    std::ranges::stable_sort(use.elements, std::ranges::greater(), &std::pair<DType, std::int64_t>::second);
    uses.push_back(std::move(use));
  }

 private:
  const Graph& graph_;
  std::map<DType, std::int64_t> elements_;
};

/// Parameters, at any version, and what casts make of them.
std::set<ValueId> weights_of(const Graph& graph) {
  std::set<ValueId> weights;
  for (const State& state : graph.states())
    if (state.role == StateRole::parameter) weights.insert({state.first, state.latest});
  for (const Node& node : graph.nodes()) {
    const bool of_weight = !node.operands.empty() && weights.contains(node.operands[0]);
    if (of_weight && (node.op == Op::cast || class_of(node.op) == OpClass::update))
      weights.insert(node.results[0]);
  }
  return weights;
}

}  // namespace

std::vector<FormatUse> formats_of(const Graph& graph) {
  const std::set<ValueId> weights = weights_of(graph);
  Count inputs(graph), masters(graph), multiplied(graph), activations(graph), gradients(graph),
      moments(graph), averages(graph);
  for (const Port& port : graph.inputs())
    if (graph.value(port.value).dtype != DType::i32) inputs.add_any(port.value);  // labels
  for (const State& state : graph.states()) {
    if (state.role == StateRole::parameter) masters.add(state.dtype, state.shape);
    if (state.role == StateRole::optimizer) moments.add(state.dtype, state.shape);
    if (state.role == StateRole::average) averages.add(state.dtype, state.shape);
  }
  std::set<ValueId> counted;
  for (const Node& node : graph.nodes()) {
    if (node.stage == Stage::forward && class_of(node.op) == OpClass::contraction)
      for (const ValueId operand : node.operands)
        if (weights.contains(operand) && counted.insert(operand).second) multiplied.add(operand);
    if (class_of(node.op) == OpClass::source || node.stage == Stage::update) continue;
    for (const ValueId result : node.results)
      if (!weights.contains(result)) (node.stage == Stage::forward ? activations : gradients).add(result);
  }
  std::vector<FormatUse> uses;
  inputs.move_to(uses, "inputs");
  masters.move_to(uses, "weights");
  multiplied.move_to(uses, "weights as multiplied");
  activations.move_to(uses, "activations");
  gradients.move_to(uses, "gradients");
  moments.move_to(uses, "optimizer states");
  averages.move_to(uses, "averages");
  return uses;
}

}  // namespace halfling
