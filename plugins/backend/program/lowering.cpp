// SPDX-License-Identifier: Apache-2.0
#include "lowering.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <stdexcept>

namespace halfling::program {
namespace {

std::size_t at(ValueId id) {
  return static_cast<std::size_t>(id);
}

bool is_view(Op op) {
  return op == Op::reshape || op == Op::detach;
}

/// By value: the last node that reads it, directly or through views; outputs and ends of states read last.
std::vector<NodeId> last_readers(const Graph& graph, const std::vector<int>& chain) {
  constexpr NodeId end = std::numeric_limits<NodeId>::max();
  std::vector<NodeId> last(graph.values().size(), -1);
  for (const Port& port : graph.outputs()) last[at(port.value)] = end;
  for (std::size_t i = 0; i < graph.states().size(); ++i) {
    const State& state = graph.states()[i];
    if (state.latest != state.first && chain[at(state.latest)] != static_cast<int>(i) + 1)
      last[at(state.latest)] = end;
  }
  for (NodeId id = static_cast<NodeId>(graph.nodes().size()) - 1; id >= 0; --id) {
    const Node& node = graph.node(id);
    for (const ValueId operand : node.operands) {
      const NodeId reader = is_view(node.op) ? std::max(id, last[at(node.results[0])]) : id;
      last[at(operand)] = std::max(last[at(operand)], reader);
    }
  }
  return last;
}

/// By value: 1 + the index of the state whose bytes it may overwrite, because a chain of Adam updates leads
/// from the state's first value over it to the latest one.
std::vector<int> update_chains(const Graph& graph) {
  std::vector<int> chain(graph.values().size(), 0);
  for (std::size_t i = 0; i < graph.states().size(); ++i) {
    const State& state = graph.states()[i];
    std::vector<ValueId> links;
    ValueId value = state.latest;
    while (value != state.first && graph.node(graph.value(value).producer).op == Op::adam) {
      links.push_back(value);
      const Node& node = graph.node(graph.value(value).producer);
      value = node.operands[static_cast<std::size_t>(graph.value(value).result)];
    }
    if (value != state.first) continue;
    for (const ValueId link : links) chain[at(link)] = static_cast<int>(i) + 1;
    chain[at(value)] = static_cast<int>(i) + 1;
  }
  return chain;
}

std::vector<std::byte> constant_bytes(const Slot& slot) {
  std::vector<std::byte> bytes(bytes_of(slot));
  with_storage(slot.dtype, [&]<class Storage>(Storage) {
    const auto element = Storage::element(slot.constant);
    for (std::size_t at = 0; at < bytes.size(); at += sizeof element)
      std::memcpy(bytes.data() + at, &element, sizeof element);
  });
  return bytes;
}

}  // namespace

void no_way_to_run(Op op) {
  throw std::logic_error(fmt::format("{} (op {}) was not refused, but there is nothing that runs it",
                                     name_of(op), static_cast<int>(op)));
}

Program lower(const Graph& graph, const StateLookup& states, const Memory& memory) {
  return Lowering(graph, states, memory).run();
}

Program Lowering::run() {
  of_value_.assign(graph_.values().size(), no_ref);
  chain_ = update_chains(graph_);
  last_reader_ = last_readers(graph_, chain_);
  sources();
  for (NodeId id = 0; id < static_cast<NodeId>(graph_.nodes().size()); ++id) node(id);
  ends();
  return std::move(program_);
}

void Lowering::sources() {
  for (const Port& port : graph_.inputs()) {
    const Ref ref = make(port.value);
    Slot& slot = program_.slot(ref);
    program_.blocks.push_back(memory_.allocate(bytes_of(slot)));
    slot.place = program_.add_place(bytes_of(slot), program_.blocks.back().data());
    program_.inputs.push_back(ref);
  }
  for (std::size_t i = 0; i < graph_.states().size(); ++i) {
    const Ref ref = make(graph_.states()[i].first);
    Slot& slot = program_.slot(ref);
    slot.place = program_.add_place(bytes_of(slot), states_[i]->block.data(), true);
  }
}

/// Outputs get bytes of their own, and the states that are not updated in place their latest values.
void Lowering::ends() {
  current_ = -1;
  for (const Port& port : graph_.outputs()) {
    Ref ref = this->ref(port.value);
    if (program_.slot(ref).is_constant || program_.fixed_place(ref) != nullptr) ref = copied(ref);
    program_.outputs.push_back(ref);
  }
  std::vector<std::pair<Ref, Ref>> commits;
  for (const State& state : graph_.states()) {
    Ref latest = ref(state.latest);
    const Ref first = ref(state.first);
    if (program_.place(latest) == program_.place(first)) continue;
    const Place* place = program_.fixed_place(latest);
    if (program_.slot(latest).is_constant || (place != nullptr && place->is_state)) latest = copied(latest);
    commits.emplace_back(latest, first);
  }
  for (const auto& [latest, first] : commits) {
    const Ref version = make(program_.slot(first).dtype, program_.slot(first).logical);
    program_.slot(version).place = program_.place(first);
    add(ItemKind::copy, {latest}, {version}).updates = true;
  }
}

// --- slots and items

Ref Lowering::make(DType dtype, const Shape& logical) {
  Slot slot;
  slot.dtype = dtype;
  slot.logical = logical;
  slot.shape = physical(logical);
  slot.root = static_cast<Ref>(program_.slots.size());
  program_.slots.push_back(slot);
  return slot.root;
}

/// The same bytes as another shape.
Ref Lowering::view(Ref of, const Shape& logical) {
  const Ref result = make(program_.slot(of).dtype, logical);
  Slot& slot = program_.slot(result);
  slot.root = program_.slot(of).root;
  slot.is_constant = program_.slot(of).is_constant;
  slot.constant = program_.slot(of).constant;
  return result;
}

/// [C] as a channel vector of a value of some rank.
Ref Lowering::channels(Ref of, int rank) {
  const std::int64_t count = program_.slot(of).logical[0];
  return view(of, rank == 2 ? Shape{1, count} : Shape{1, count, 1, 1});
}

Ref Lowering::make(ValueId id) {
  const Ref ref = make(graph_.value(id).dtype, graph_.value(id).shape);
  of_value_[at(id)] = ref;
  return ref;
}

Item& Lowering::add(ItemKind kind, std::vector<Ref> in, std::vector<Ref> out) {
  Item item;
  item.kind = kind;
  item.in = std::move(in);
  item.out = std::move(out);
  item.node = current_;
  program_.items.push_back(std::move(item));
  return program_.items.back();
}

/// Gives bytes to a constant, for items that cannot take it as a number.
void Lowering::needs_bytes(Ref ref) {
  Slot& slot = program_.slot(program_.slot(ref).root);
  if (!slot.is_constant || slot.place >= 0) return;
  const std::vector<std::byte> values = constant_bytes(slot);
  Block block = memory_.allocate(values.size());
  memory_.upload(values.data(), block.data(), values.size());
  slot.place = program_.add_place(values.size(), block.data());
  program_.blocks.push_back(std::move(block));
}

Ref Lowering::copied(Ref from) {
  needs_bytes(from);
  const Slot slot = program_.slot(from);
  const Ref to = make(slot.dtype, slot.logical);
  add(ItemKind::copy, {from}, {to});
  return to;
}

Ref Lowering::tile(TileOp op, std::vector<Ref> in, Ref out, float first, float second) {
  Item& item = add(ItemKind::tile, std::move(in), {out});
  item.op = op;
  item.parameters = {first, second};
  return out;
}

/// A tile item with an f32 result of its own.
Ref Lowering::math(TileOp op, std::vector<Ref> in, const Shape& logical, float first, float second) {
  return tile(op, std::move(in), make(DType::f32, logical), first, second);
}

}  // namespace halfling::program
