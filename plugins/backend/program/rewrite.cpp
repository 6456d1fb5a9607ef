// SPDX-License-Identifier: Apache-2.0
#include "rewrite.hpp"

#include <algorithm>

namespace halfling::program {
namespace {

/// Who makes and who reads each slot.
struct Uses {
  std::vector<int> producer, readers;  ///< by root slot: an item, and how many operands

  explicit Uses(const Program& program)
      : producer(program.slots.size(), -1), readers(program.slots.size(), 0) {
    for (int i = 0; i < static_cast<int>(program.items.size()); ++i) {
      const Item& item = program.items[static_cast<std::size_t>(i)];
      for (const Ref out : item.out) producer[static_cast<std::size_t>(out)] = i;
      for (const Ref in : item.in) ++readers[static_cast<std::size_t>(program.slot(in).root)];
    }
    for (const Ref out : program.outputs) ++readers[static_cast<std::size_t>(program.slot(out).root)];
  }
  int producer_of(Ref ref) const { return producer[static_cast<std::size_t>(ref)]; }
  bool read_once(Ref ref) const { return readers[static_cast<std::size_t>(ref)] == 1; }
};

bool is_product(const Graph& graph, const Item& item) {
  return item.kind == ItemKind::node && item.node >= 0 && graph.node(item.node).op == Op::matmul &&
         !item.updates;
}

bool is_sum(const Program& program, const Item& item) {
  if (item.kind != ItemKind::tile || item.op != TileOp::add) return false;
  const Shape& shape = program.slot(item.out[0]).logical;
  return std::ranges::all_of(item.in, [&](Ref in) { return program.slot(in).logical == shape; });
}

/// The operand of a sum that a product makes for it alone, the later one where both are; the other one must
/// be made before and be read by the sum alone. no_ref where there is none.
Ref accumulated_operand(const Graph& graph, const Program& program, const Uses& uses, const Item& sum) {
  Ref result = no_ref;
  int latest = -1;
  for (std::size_t i = 0; i < 2; ++i) {
    const Ref mine = sum.in[i], other = sum.in[1 - i];
    if (mine == other || program.slot(mine).root != mine || program.slot(other).root != other) continue;
    const int made = uses.producer_of(mine), before = uses.producer_of(other);
    if (before < 0 || made <= before || made <= latest) continue;
    const bool alone = uses.read_once(mine) && uses.read_once(other) && program.place(other) < 0;
    if (!alone || !is_product(graph, program.items[static_cast<std::size_t>(made)])) continue;
    result = mine;
    latest = made;
  }
  return result;
}

void erase_items(Program& program, const std::vector<bool>& gone) {
  std::size_t i = 0;
  std::erase_if(program.items, [&](const Item&) { return gone[i++]; });
}

bool is_adam(const Graph& graph, const Item& item) {
  return item.kind == ItemKind::node && item.node >= 0 && graph.node(item.node).op == Op::adam;
}

bool is_half_cast(const Program& program, const Item& item) {
  return item.kind == ItemKind::tile && item.op == TileOp::copy && is_half(program.slot(item.out[0]).dtype) &&
         program.slot(item.in[0]).root == item.in[0] &&
         program.slot(item.in[0]).logical == program.slot(item.out[0]).logical;
}

/// The update that leaves a state's latest value in its place; nullptr where it is not Adam's, or makes a
/// copy for the graph already.
Item* last_update(const Graph& graph, Program& program, int place) {
  Item* last = nullptr;
  for (Item& item : program.items)
    if (item.updates && program.slot(item.out[0]).place == place) last = &item;
  return last != nullptr && is_adam(graph, *last) && last->out.size() == adam_half_copy ? last : nullptr;
}

HalfCopy& half_copy(StateMemory& state, DType dtype, const Memory& memory) {
  for (const auto& half : state.halves)
    if (half->dtype == dtype) return *half;
  const auto bytes = static_cast<std::size_t>(state.logical.elements()) * size_of(dtype);
  state.halves.push_back(std::make_unique<HalfCopy>(HalfCopy{dtype, memory.allocate(bytes)}));
  return *state.halves.back();
}

}  // namespace

void keep_half_copies(const Graph& graph, const StateLookup& states, const Memory& memory, Program& program) {
  constexpr std::int64_t large = 1 << 16;
  std::vector<bool> gone(program.items.size(), false);
  program.kept.assign(states.size(), nullptr);
  const Uses uses(program);
  for (std::size_t i = 0; i < program.items.size(); ++i) {
    const Item& cast = program.items[i];
    if (!is_half_cast(program, cast)) continue;
    const Ref out = cast.out[0];
    const std::byte* from =
        program.fixed_place(cast.in[0]) == nullptr ? nullptr : program.fixed_place(cast.in[0])->fixed;
    const auto state = std::ranges::find_if(states, [&](const auto& s) { return s->block.data() == from; });
    if (from == nullptr || state == states.end() || uses.producer_of(cast.in[0]) >= 0) continue;
    const auto index = static_cast<std::size_t>(state - states.begin());
    Item* update = last_update(graph, program, program.place(cast.in[0]));
    if (update == nullptr || program.kept[index] != nullptr || (*state)->logical.elements() < large) continue;
    HalfCopy& half = half_copy(**state, program.slot(out).dtype, memory);
    program.kept[index] = &half;
    program.slot(out).place = program.add_place(half.block.bytes(), half.block.data());
    Slot next = program.slot(out);
    next.root = static_cast<Ref>(program.slots.size());
    program.slots.push_back(next);
    update->out.push_back(next.root);
    gone[i] = true;
  }
  erase_items(program, gone);
}

void accumulate_in_products(const Graph& graph, Program& program, bool (*native)(DType)) {
  std::vector<bool> gone(program.items.size(), false);
  Uses uses(program);
  for (std::size_t i = 0; i < program.items.size(); ++i) {
    const Item& sum = program.items[i];
    if (!is_sum(program, sum) || !native(program.slot(sum.out[0]).dtype)) continue;
    const Ref mine = accumulated_operand(graph, program, uses, sum);
    if (mine == no_ref) continue;
    const Ref other = sum.in[0] == mine ? sum.in[1] : sum.in[0], out = sum.out[0];
    const int place = program.add_place(bytes_of(program.slot(out)));
    program.slot(other).place = place;
    program.slot(out).place = place;
    const int made = uses.producer_of(mine);
    Item& product = program.items[static_cast<std::size_t>(made)];
    product.in.push_back(other);
    product.out[0] = out;
    product.updates = true;
    uses.producer[static_cast<std::size_t>(out)] = made;
    gone[i] = true;
  }
  erase_items(program, gone);
}

void cast_in_updates(const Graph& graph, Program& program) {
  std::vector<bool> gone(program.items.size(), false);
  const Uses uses(program);
  for (std::size_t i = 0; i < program.items.size(); ++i) {
    const Item& cast = program.items[i];
    if (!is_half_cast(program, cast)) continue;
    const Ref from = cast.in[0];
    const int made = uses.producer_of(from);
    if (made < 0) continue;
    Item& update = program.items[static_cast<std::size_t>(made)];
    if (!is_adam(graph, update) || update.out.size() != adam_half_copy || update.out[0] != from) continue;
    update.out.push_back(cast.out[0]);
    gone[i] = true;
  }
  erase_items(program, gone);
}

}  // namespace halfling::program
