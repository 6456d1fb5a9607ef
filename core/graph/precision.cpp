// SPDX-License-Identifier: Apache-2.0
// The precision pass: asks the policy about every node of a forward graph, and inserts casts.
#include "halfling/precision.hpp"

#include <algorithm>
#include <map>

#include "graph/op_table.hpp"
#include "graph/passes.hpp"

namespace halfling {
namespace {

/// The format that holds every value of both.
DType widest(DType a, DType b) {
  if (a == b) return a;
  if (a == DType::f64 || b == DType::f64) return DType::f64;
  return DType::f32;  // f16 and bf16 do not contain each other
}

class PrecisionPass {
 public:
  PrecisionPass(const Graph& graph, const PrecisionPolicy& policy) : from_(graph), policy_(policy) {
    result_.map.assign(graph.values().size(), no_value);
  }

  PrecisionResult run() && {
    for (const Node& node : from_.nodes()) convert(node);
    for (const State& state : from_.states())
      if (state.latest != state.first) assign(state);
    for (const Port& port : from_.outputs()) result_.graph.output(port.name, mapped(port.value));
    return std::move(result_);
  }

 private:
  Graph& to() { return result_.graph; }
  ValueId mapped(ValueId old) const { return result_.map[static_cast<std::size_t>(old)]; }
  DType dtype(ValueId id) const { return result_.graph.value(id).dtype; }

  void convert(const Node& node) {
    to().context() = {node.scope, node.stage, {}};
    if (node.op == Op::input) {
      const auto& name = std::get<NameAttributes>(node.attributes).name;
      const ValueInfo& info = from_.value(node.results[0]);
      const ValueId given = to().input(name, info.dtype, info.shape);
      // The gradient by an input has the input's format: under fp64 that must not be a single one.
      const bool widens = info.dtype == DType::f32 && policy_.parameter_format() == DType::f64;
      return map(node, {widens ? cast_once(given, DType::f64) : given});
    }
    if (node.op == Op::state)
      return map(node, {convert_state(std::get<NameAttributes>(node.attributes).name)});
    std::vector<ValueId> operands;
    for (const ValueId operand : node.operands) operands.push_back(mapped(operand));
    if (node.op == Op::cast && dtype(operands[0]) == std::get<CastAttributes>(node.attributes).dtype)
      return map(node, {operands[0]});
    if (class_of(node.op) == OpClass::update) {
      cast_operands(node, dtype(operands[0]), operands);
    } else if (!is_one_of<Op::cast, Op::constant, Op::gradient_of>(node.op)) {
      const Precision answer = policy_.precision(from_, node);
      cast_operands(node, answer.io, operands);
      to().context().compute = answer.compute;
    }
    map(node, to().node(to().append(node.op, operands, node.attributes)).results);
  }

  ValueId convert_state(const std::string& name) {
    State state = *from_.find_state(name);
    if (state.role == StateRole::parameter || state.role == StateRole::statistic)
      state.dtype = policy_.parameter_format();
    return to().state(state);
  }

  /// What a policy computes in another format is kept in the state's own.
  void assign(const State& state) {
    const ValueId latest = mapped(state.latest);
    const Node& producer = to().node(to().value(latest).producer);
    to().context() = {producer.scope, producer.stage, {}};
    to().assign(state.name, cast_once(latest, to().find_state(state.name)->dtype));
  }

  void cast_operands(const Node& node, std::optional<DType> io, std::vector<ValueId>& operands) {
    const unsigned mask = info_of(node.op).io_operands;
    const auto takes_io = [&](std::size_t i) {
      return (i >= 32 || (mask >> i & 1u) != 0) && is_float(dtype(operands[i]));
    };
    if (!io) io = followed(operands, takes_io);
    for (std::size_t i = 0; i < operands.size(); ++i)
      if (takes_io(i)) operands[i] = cast_once(operands[i], *io);
  }

  /// The widest format among the operands. Parameters and constants adapt to the others: a bias must not
  /// widen what it is added to.
  std::optional<DType> followed(const std::vector<ValueId>& operands, const auto& takes_io) const {
    std::optional<DType> leading, any;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      if (!takes_io(i)) continue;
      any = any ? widest(*any, dtype(operands[i])) : dtype(operands[i]);
      if (!adapts(operands[i])) leading = leading ? widest(*leading, dtype(operands[i])) : dtype(operands[i]);
    }
    return leading ? leading : any;
  }

  bool adapts(ValueId id) const {
    const Graph& graph = result_.graph;
    const Node& producer = graph.node(graph.value(id).producer);
    if (producer.op == Op::state)
      return graph.find_state(std::get<NameAttributes>(producer.attributes).name)->role ==
             StateRole::parameter;
    if (producer.op == Op::reshape || producer.op == Op::broadcast) return adapts(producer.operands[0]);
    return producer.op == Op::constant;
  }

  ValueId cast_once(ValueId id, DType format) {
    if (dtype(id) == format) return id;
    const auto [entry, is_new] = casts_.try_emplace({id, format}, no_value);
    if (!is_new) return entry->second;
    const Node& producer = to().node(to().value(id).producer);
    if (producer.op == Op::constant) {
      auto attributes = std::get<ConstantAttributes>(producer.attributes);
      attributes.value = round_to(format, attributes.value);
      attributes.dtype = format;
      return entry->second = to().append_value(Op::constant, {}, attributes);
    }
    return entry->second = to().append_value(Op::cast, {id}, CastAttributes{format});
  }

  void map(const Node& node, const std::vector<ValueId>& results) {
    for (std::size_t i = 0; i < results.size(); ++i)
      result_.map[static_cast<std::size_t>(node.results[i])] = results[i];
  }

  const Graph& from_;
  const PrecisionPolicy& policy_;
  PrecisionResult result_;
  std::map<std::pair<ValueId, DType>, ValueId> casts_;
};

}  // namespace

PrecisionResult apply_precision(const Graph& graph, const PrecisionPolicy& policy) {
  PrecisionResult cast = PrecisionPass(graph, policy).run();
  const auto stands = [](const Node& node) { return node.op == Op::gradient_of; };
  if (std::ranges::none_of(cast.graph.nodes(), stands)) return cast;
  PrecisionResult expanded = expand_gradients(cast.graph);
  for (ValueId& id : cast.map) id = expanded.map[static_cast<std::size_t>(id)];
  return {std::move(expanded.graph), std::move(cast.map)};
}

}  // namespace halfling
