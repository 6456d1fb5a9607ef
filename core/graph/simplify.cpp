// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <unordered_map>

#include "graph/op_table.hpp"
#include "graph/passes.hpp"

namespace halfling {
namespace {

/// Whether every value of `narrow` is a value of `wide`.
bool widens(DType narrow, DType wide) {
  return narrow == wide || wide == DType::f64 || (wide == DType::f32 && is_half(narrow));
}

class Simplification {
 public:
  explicit Simplification(const Graph& graph)
      : from_(graph), map_(graph.values().size(), no_value), needed_(graph.nodes().size(), false) {}

  Graph run() && {
    mark_needed();
    for (std::size_t i = 0; i < from_.nodes().size(); ++i)
      if (needed_[i]) convert(from_.nodes()[i]);
    for (const State& state : from_.states())
      if (state.latest != state.first) to_.assign(state.name, mapped(state.latest));
    for (const Port& port : from_.outputs()) to_.output(port.name, mapped(port.value));
    return std::move(to_);
  }

 private:
  ValueId mapped(ValueId old) const { return map_[static_cast<std::size_t>(old)]; }

  void mark_needed() {
    const auto need = [&](ValueId id) { needed_[static_cast<std::size_t>(from_.value(id).producer)] = true; };
    for (const Port& port : from_.outputs()) need(port.value);
    for (const Port& port : from_.inputs()) need(port.value);
    for (const State& state : from_.states())
      if (state.latest != state.first) need(state.first), need(state.latest);
    for (std::size_t i = from_.nodes().size(); i-- > 0;)
      if (needed_[i])
        for (const ValueId operand : from_.nodes()[i].operands) need(operand);
  }

  void convert(const Node& node) {
    to_.context() = {node.scope, node.stage, node.compute};
    if (node.op == Op::input) {
      const ValueInfo& info = from_.value(node.results[0]);
      return map(node, {to_.input(std::get<NameAttributes>(node.attributes).name, info.dtype, info.shape)});
    }
    if (node.op == Op::state)
      return map(node, {to_.state(*from_.find_state(std::get<NameAttributes>(node.attributes).name))});
    std::vector<ValueId> operands;
    for (const ValueId operand : node.operands) operands.push_back(mapped(operand));
    if (const ValueId same = reduced(node, operands); same != no_value) return map(node, {same});
    read_halves_directly(node, operands);
    map(node, unique(node, std::move(operands)));
  }

  /// The value that a node merely repeats, or no_value.
  ValueId reduced(const Node& node, const std::vector<ValueId>& operands) {
    if (node.op == Op::detach) return operands[0];
    if (node.op == Op::affine && std::get<AffineAttributes>(node.attributes) == AffineAttributes{1, 0})
      return operands[0];
    if (node.op != Op::cast) return no_value;
    const DType target = std::get<CastAttributes>(node.attributes).dtype;
    const ValueInfo& value = to_.value(operands[0]);
    if (value.dtype == target) return operands[0];
    const Node& producer = to_.node(value.producer);
    if (producer.op == Op::cast && to_.value(producer.operands[0]).dtype == target &&
        widens(target, value.dtype))
      return producer.operands[0];
    if (producer.op == Op::constant && is_float(value.dtype)) {
      auto attributes = std::get<ConstantAttributes>(producer.attributes);
      attributes.value = round_to(target, round_to(value.dtype, attributes.value));
      attributes.dtype = target;
      Node constant = node;
      constant.op = Op::constant;
      constant.attributes = attributes;
      return unique(constant, {})[0];
    }
    return no_value;
  }

  /// adam and any_nonfinite take gradients in any format: a cast that only widens is not needed.
  void read_halves_directly(const Node& node, std::vector<ValueId>& operands) {
    for (std::size_t i = 0; i < operands.size(); ++i) {
      if (!(node.op == Op::any_nonfinite || (node.op == Op::adam && i == AdamOperand::gradient))) continue;
      const Node& producer = to_.node(to_.value(operands[i]).producer);
      if (producer.op == Op::cast &&
          widens(to_.value(producer.operands[0]).dtype, to_.value(operands[i]).dtype))
        operands[i] = producer.operands[0];
    }
  }

  /// The results of an equal node where there is one, else of a new one.
  const std::vector<ValueId>& unique(const Node& node, std::vector<ValueId> operands) {
    const auto* constant = std::get_if<ConstantAttributes>(&node.attributes);
    const bool negative =
        constant != nullptr && std::signbit(constant->value);  // -0 is equal to 0, but not it
    std::string key =
        fmt::format("{} {} {}", static_cast<int>(node.op), static_cast<int>(node.compute), negative);
    for (const ValueId operand : operands) key += fmt::format(" {}", operand);
    auto& bucket = known_[key];
    for (const NodeId id : bucket)
      if (to_.node(id).attributes == node.attributes) return to_.node(id).results;
    bucket.push_back(to_.append(node.op, std::move(operands), node.attributes));
    return to_.node(bucket.back()).results;
  }

  void map(const Node& node, const std::vector<ValueId>& results) {
    for (std::size_t i = 0; i < results.size(); ++i)
      map_[static_cast<std::size_t>(node.results[i])] = results[i];
  }

  const Graph& from_;
  Graph to_;
  std::vector<ValueId> map_;
  std::vector<bool> needed_;  ///< by node
  std::unordered_map<std::string, std::vector<NodeId>> known_;
};

}  // namespace

Graph simplify(const Graph& graph) {
  Graph current = Simplification(graph).run();
  for (;;) {  // the rules leave nodes behind that nothing needs any more; another walk drops them and may
              // find more
    Graph next = Simplification(current).run();
    if (next.nodes().size() == current.nodes().size()) return next;
    current = std::move(next);
  }
}

}  // namespace halfling
