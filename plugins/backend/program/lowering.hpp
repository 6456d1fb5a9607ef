// SPDX-License-Identifier: Apache-2.0
// What the rules of lowering share.
#pragma once

#include "program.hpp"

namespace halfling::program {

class Lowering {
 public:
  Lowering(const Graph& graph, const StateLookup& states, const Memory& memory)
      : graph_(graph), states_(states), memory_(memory) {}
  Program run();
  /// How a node of an op becomes items; nullptr: there is no way.
  using Rule = void (Lowering::*)(const Node&);
  static Rule rule_of(Op op);

 private:
  void sources();
  void node(NodeId id);
  void ends();

  // rules
  void made_already(const Node&) {}
  void constant(const Node& node);
  void pointwise(const Node& node);
  void cast(const Node& node);
  void detach(const Node& node);
  void reshape(const Node& node);
  void sum(const Node& node);
  void batch_norm(const Node& node);
  void batch_norm_gradient(const Node& node);
  void batch_norm_inference(const Node& node);
  void normalise(const Node& node, Ref x, Ref gamma, Ref beta, Ref mean, Ref variance);
  void whole(const Node& node);
  void adam(const Node& node) { update_in_place(node, 3); }
  void update_in_place(const Node& node, std::size_t count);
  bool may_update(ValueId old_value, ValueId new_value) const;

  // making slots and items
  Ref ref(ValueId id) const { return of_value_[static_cast<std::size_t>(id)]; }
  Ref make(DType dtype, const Shape& logical);
  Ref make(ValueId id);
  Ref view(Ref of, const Shape& logical);
  Ref channels(Ref of, int rank);
  Ref tile(TileOp op, std::vector<Ref> in, Ref out, float first = 0, float second = 0);
  Ref math(TileOp op, std::vector<Ref> in, const Shape& logical, float first = 0, float second = 0);
  Ref copied(Ref from);
  void needs_bytes(Ref ref);
  Item& add(ItemKind kind, std::vector<Ref> in, std::vector<Ref> out);

  const Graph& graph_;
  const StateLookup& states_;
  const Memory& memory_;
  Program program_;
  std::vector<Ref> of_value_;
  std::vector<NodeId> last_reader_;  ///< by value: the last node that reads it or a view of it
  std::vector<int> chain_;           ///< by value: 1 + the state whose update chain it belongs to; 0: none
  NodeId current_ = -1;
};

}  // namespace halfling::program
