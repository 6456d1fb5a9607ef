// SPDX-License-Identifier: Apache-2.0
#include "halfling/graph.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "graph/op_table.hpp"
#include "halfling/error.hpp"

namespace halfling {
namespace {

[[noreturn]] void fail(const Graph& graph, std::string what, std::string got = {},
                       std::string expected = {}) {
  throw Error({.what = std::move(what),
               .where = graph.context().scope,
               .got = std::move(got),
               .expected = std::move(expected),
               .hint = ""});
}

std::string_view name_of(StateRole role) {
  constexpr std::string_view names[] = {"parameter", "statistic", "optimizer",
                                        "scaler",    "counter",   "average"};
  return names[static_cast<std::size_t>(role)];
}

std::string text(const Initial& initial) {
  constexpr std::string_view names[] = {"constant", "normal", "truncated normal", "uniform",
                                        "random counter"};
  return fmt::format("{} {}", names[static_cast<std::size_t>(initial.kind)], initial.value);
}

std::string text(const State& state) {
  return fmt::format("{} {} {}, at first {}", name_of(state.role), name_of(state.dtype), state.shape.text(),
                     text(state.initial));
}

void require_value(const Graph& graph, ValueId id, std::string_view taker) {
  if (id >= 0 && static_cast<std::size_t>(id) < graph.values().size()) return;
  fail(graph, fmt::format("{} was given a value that is not of this graph", taker), std::to_string(id));
}

/// Updates and integers have no number format of their own; everything else computes in f32, or in f64 where
/// a float operand or result is f64.
DType default_compute(const Graph& graph, const Node& node) {
  for (const auto* list : {&node.operands, &node.results})
    for (const ValueId id : *list)
      if (graph.value(id).dtype == DType::f64) return DType::f64;
  return DType::f32;
}

}  // namespace

const State* Graph::find_state(std::string_view name) const {
  const auto found = std::ranges::find(states_, name, &State::name);
  return found == states_.end() ? nullptr : &*found;
}

std::string Graph::describe(ValueId id) const {
  if (id < 0 || static_cast<std::size_t>(id) >= values_.size()) return "no value";
  const ValueInfo& info = value(id);
  const Node& producer = node(info.producer);
  if (const auto* name = std::get_if<NameAttributes>(&producer.attributes)) return name->name;
  return fmt::format("{}{}{}{}", producer.scope, producer.scope.empty() ? "" : "/", name_of(producer.op),
                     producer.results.size() > 1 ? fmt::format(".{}", info.result) : "");
}

ValueId Graph::input(std::string name, DType dtype, Shape shape) {
  if (const auto found = std::ranges::find(inputs_, name, &Port::name); found != inputs_.end()) {
    const ValueInfo& info = value(found->value);
    if (info.dtype == dtype && info.shape == shape) return found->value;
    fail(*this, fmt::format("input {} is declared twice", name),
         fmt::format("{} {}", name_of(dtype), shape.text()),
         fmt::format("{} {}", name_of(info.dtype), info.shape.text()));
  }
  const auto id = static_cast<ValueId>(values_.size());
  values_.push_back({dtype, shape, static_cast<NodeId>(nodes_.size()), 0});
  nodes_.push_back({Op::input, {}, {id}, NameAttributes{name}, dtype, "", Stage::forward});
  inputs_.push_back({std::move(name), id});
  return id;
}

ValueId Graph::state(const State& declaration) {
  if (const State* known = find_state(declaration.name)) {
    if (known->dtype == declaration.dtype && known->shape == declaration.shape &&
        known->initial == declaration.initial && known->role == declaration.role)
      return known->latest;
    fail(*this, fmt::format("state {} is declared twice", declaration.name), text(declaration), text(*known));
  }
  const auto id = static_cast<ValueId>(values_.size());
  values_.push_back({declaration.dtype, declaration.shape, static_cast<NodeId>(nodes_.size()), 0});
  nodes_.push_back(
      {Op::state, {}, {id}, NameAttributes{declaration.name}, declaration.dtype, "", Stage::forward});
  states_.push_back(declaration);
  states_.back().first = states_.back().latest = id;
  return id;
}

void Graph::assign(std::string_view state_name, ValueId id) {
  const auto found = std::ranges::find(states_, state_name, &State::name);
  if (found == states_.end()) fail(*this, fmt::format("no state is named {}", state_name));
  require_value(*this, id, fmt::format("state {}", state_name));
  const ValueInfo& info = value(id);
  if (info.dtype != found->dtype || info.shape != found->shape)
    fail(*this, fmt::format("state {} cannot hold {}", state_name, describe(id)),
         fmt::format("{} {}", name_of(info.dtype), info.shape.text()),
         fmt::format("{} {}", name_of(found->dtype), found->shape.text()));
  found->latest = id;
}

void Graph::output(std::string name, ValueId id) {
  if (std::ranges::find(outputs_, name, &Port::name) != outputs_.end())
    fail(*this, fmt::format("output {} is declared twice", name));
  require_value(*this, id, fmt::format("output {}", name));
  outputs_.push_back({std::move(name), id});
}

NodeId Graph::append(Op op, std::vector<ValueId> operands, Attributes attributes) {
  const OpInfo& info = info_of(op);
  const auto count = static_cast<int>(operands.size());
  if (count < info.least_operands || (info.most_operands >= 0 && count > info.most_operands))
    fail(*this, fmt::format("{} takes another number of operands", info.name), std::to_string(count),
         std::to_string(info.least_operands));
  for (const ValueId operand : operands) require_value(*this, operand, info.name);
  const auto id = static_cast<NodeId>(nodes_.size());
  auto results = info.infer({*this, op, operands, attributes});
  Node node{op, std::move(operands), {}, std::move(attributes), DType::f32, context_.scope, context_.stage};
  for (std::size_t i = 0; i < results.size(); ++i) {
    results[i].producer = id;
    results[i].result = static_cast<int>(i);
    node.results.push_back(static_cast<ValueId>(values_.size()));
    values_.push_back(results[i]);
  }
  node.compute = context_.compute.value_or(default_compute(*this, node));
  nodes_.push_back(std::move(node));
  return id;
}

}  // namespace halfling
