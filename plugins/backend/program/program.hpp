// SPDX-License-Identifier: Apache-2.0
// The backend's own form of a graph: items that read and write slots. Batch norm has become elementwise items
// and column reductions, reshapes that move nothing have vanished, and updates write where their state lies.
#pragma once

#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "block.hpp"
#include "halfling/graph.hpp"
#include "layout.hpp"
#include "tile_op.hpp"

namespace halfling::program {

using Ref = std::int32_t;  ///< index of a slot
inline constexpr Ref no_ref = -1;

/// Where bytes lie: in the arena (placed by liveness), or at a fixed address. Several slots may share one
/// place: versions of a state that is updated in place.
struct Place {
  std::size_t bytes = 0;
  std::byte* fixed = nullptr;  ///< nullptr: in the arena
  bool is_state = false;
  bool kept = false;  ///< an output: alive to the end
};

struct Slot {
  DType dtype = DType::f32;
  Shape logical;
  Shape shape;               ///< physical
  Ref root = no_ref;         ///< the slot whose bytes these are: itself, but for views
  int place = -1;            ///< of the root; -1 until something needs the bytes
  bool is_constant = false;  ///< every element is `constant`
  double constant = 0;
};

enum class ItemKind : std::uint8_t {
  tile,            ///< out[0][i] = op(in[..][i]); operands broadcast
  column_sum,      ///< out[0][c] = sum of in[0] over all but its last axis
  column_moments,  ///< out = mean and biased variance of in[0] over all but its last axis
  total_sum,       ///< out[0] = sum of all of in[0]
  node,            ///< a whole node of the graph, by its own step
  copy,            ///< in[0] to out[0], byte for byte
};

struct Item {
  ItemKind kind = ItemKind::node;
  TileOp op = TileOp::copy;
  std::array<float, 2> parameters{};
  std::vector<Ref> in;
  std::vector<Ref> out;
  NodeId node = -1;      ///< what it comes from; -1 for copies at the end
  bool follows = false;  ///< runs in the loop of the one that reads its result
  bool updates = false;  ///< its out places are in places: it overwrites older versions
};

/// Behind the results of Op::adam, an item may have one more: the new parameter in a half format.
inline constexpr std::size_t adam_half_copy = 3;

/// A parameter in a half format, kept from run to run by the update that changes the parameter.
struct HalfCopy {
  DType dtype{};
  Block block;
  bool current = false;  ///< false: the parameter was written by something that does not keep the copy
};

struct Program {
  std::vector<Place> places;
  std::vector<Slot> slots;
  std::vector<Item> items;    ///< in an order in which they can run
  std::vector<Block> blocks;  ///< inputs and constants
  std::vector<Ref> outputs;   ///< by the graph's outputs
  std::vector<Ref> inputs;    ///< by the graph's inputs
  std::vector<HalfCopy*>
      kept;  ///< by the graph's states: the copy that this program reads and keeps; or nullptr

  Slot& slot(Ref ref) { return slots[static_cast<std::size_t>(ref)]; }
  const Slot& slot(Ref ref) const { return slots[static_cast<std::size_t>(ref)]; }
  int place(Ref ref) const { return slot(slot(ref).root).place; }
  /// The fixed place of a slot; nullptr where it has none (yet) or lies in the arena.
  const Place* fixed_place(Ref ref) const {
    const int index = place(ref);
    if (index < 0 || places[static_cast<std::size_t>(index)].fixed == nullptr) return nullptr;
    return &places[static_cast<std::size_t>(index)];
  }
  int add_place(std::size_t bytes, std::byte* fixed = nullptr, bool is_state = false) {
    places.push_back({bytes, fixed, is_state, false});
    return static_cast<int>(places.size()) - 1;
  }
};

inline std::size_t bytes_of(const Slot& slot) {
  return static_cast<std::size_t>(slot.shape.elements()) * size_of(slot.dtype);
}

/// Whether a slot is a constant of which every bit is 0.
inline bool is_zero(const Slot& slot) {
  return slot.is_constant && slot.constant == 0 && !std::signbit(slot.constant);
}

/// The memory of states by name, owned by the session.
struct StateMemory {
  DType dtype{};
  Shape logical;
  Block block;
  std::vector<std::unique_ptr<HalfCopy>> halves{};
};
using StateLookup = std::vector<std::shared_ptr<StateMemory>>;  ///< by the graph's states

/// For dispatches over ops that end without a match: throws std::logic_error that names the op. A backend
/// refuses such a node before (Backend::refusal), so this is a fault of the backend.
[[noreturn]] void no_way_to_run(Op op);

/// Lowers a verified graph. Inputs and constants get blocks of `memory`.
Program lower(const Graph& graph, const StateLookup& states, const Memory& memory);

}  // namespace halfling::program
