// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "graph/op_table.hpp"
#include "halfling/error.hpp"

namespace halfling {
namespace {

[[noreturn]] void fail(const Graph& graph, const Node& node, std::string what, std::string got = {},
                       std::string expected = {}) {
  const std::string at =
      node.results.empty() ? std::string(name_of(node.op)) : graph.describe(node.results[0]);
  throw Error({.what = "invalid graph: " + std::move(what),
               .where = at,
               .got = std::move(got),
               .expected = std::move(expected),
               .hint = "this is a fault of what built the graph, not of the experiment"});
}

void check_node(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  const OpInfo& info = info_of(node.op);
  for (const ValueId operand : node.operands) {
    if (operand < 0 || static_cast<std::size_t>(operand) >= graph.values().size())
      fail(graph, node, "an operand does not exist", std::to_string(operand));
    if (graph.value(operand).producer >= id)
      fail(graph, node, "an operand is used before it is computed", graph.describe(operand));
  }
  for (std::size_t i = 0; i < node.results.size(); ++i) {
    const ValueInfo& value = graph.value(node.results[i]);
    if (value.producer != id || value.result != static_cast<int>(i))
      fail(graph, node, "a result belongs to another node", graph.describe(node.results[i]));
  }
  if (node.op == Op::input || node.op == Op::state) return;
  const auto expected = info.infer({graph, node.op, node.operands, node.attributes});
  if (expected.size() != node.results.size()) fail(graph, node, "wrong number of results");
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const ValueInfo& value = graph.value(node.results[i]);
    if (value.dtype != expected[i].dtype || value.shape != expected[i].shape)
      fail(graph, node, "a result has the wrong type",
           fmt::format("{} {}", name_of(value.dtype), value.shape.text()),
           fmt::format("{} {}", name_of(expected[i].dtype), expected[i].shape.text()));
  }
}

/// The version of a state that an update makes a value of; no_value where no update makes it.
ValueId version_before(const Graph& graph, ValueId id) {
  const ValueInfo& value = graph.value(id);
  const Node& node = graph.node(value.producer);
  if (class_of(node.op) != OpClass::update) return no_value;
  return node.operands[static_cast<std::size_t>(value.result)];
}

/// The versions of a state from the latest to the first, where nothing but updates lies between; else only
/// those two.
std::vector<ValueId> versions_of(const Graph& graph, const State& state) {
  std::vector<ValueId> versions{state.latest};
  while (versions.back() != state.first) {
    const ValueId before = version_before(graph, versions.back());
    if (before == no_value) return {state.latest, state.first};
    versions.push_back(before);
  }
  return versions;
}

void check_states(const Graph& graph) {
  std::vector<NodeId> last_reader(graph.values().size(), -1);
  for (NodeId id = 0; id < static_cast<NodeId>(graph.nodes().size()); ++id)
    for (const ValueId operand : graph.node(id).operands) last_reader[static_cast<std::size_t>(operand)] = id;
  for (const Port& port : graph.outputs())  // read after the run
    last_reader[static_cast<std::size_t>(port.value)] = static_cast<NodeId>(graph.nodes().size());
  std::unordered_set<std::string_view> names;
  for (const State& state : graph.states()) {
    const ValueInfo& first = graph.value(state.first);
    const Node& source = graph.node(first.producer);
    if (!names.insert(state.name).second) fail(graph, source, "two states have one name", state.name);
    const auto* name = std::get_if<NameAttributes>(&source.attributes);
    if (source.op != Op::state || name == nullptr || name->name != state.name)
      fail(graph, source, "a state does not start at its own node", state.name);
    const ValueInfo& latest = graph.value(state.latest);
    if (latest.dtype != state.dtype || latest.shape != state.shape)
      fail(graph, graph.node(latest.producer), "a state changes its type", state.name);
    const std::vector<ValueId> versions = versions_of(graph, state);
    for (std::size_t i = 1; i < versions.size(); ++i) {
      const NodeId replaced_by = graph.value(versions[i - 1]).producer;
      if (last_reader[static_cast<std::size_t>(versions[i])] > replaced_by)
        fail(graph, graph.node(replaced_by), "an old version of a state is read after it is replaced",
             state.name);
    }
  }
}

}  // namespace

void verify(const Graph& graph) {
  for (NodeId id = 0; id < static_cast<NodeId>(graph.nodes().size()); ++id) check_node(graph, id);
  check_states(graph);
  std::unordered_set<std::string_view> names;
  for (const Port& port : graph.outputs()) {
    if (port.value < 0 || static_cast<std::size_t>(port.value) >= graph.values().size())
      throw Error({.what = "invalid graph: an output has no value",
                   .where = port.name,
                   .got = "",
                   .expected = "",
                   .hint = ""});
    if (!names.insert(port.name).second)
      throw Error({.what = "invalid graph: two outputs have one name",
                   .where = port.name,
                   .got = "",
                   .expected = "",
                   .hint = ""});
  }
}

}  // namespace halfling
