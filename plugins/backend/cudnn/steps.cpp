// SPDX-License-Identifier: Apache-2.0
#include "step.hpp"

namespace halfling::cudnn {

StepPointer make_step(const StepContext& context, const Cluster& cluster) {
  std::vector<const Item*> items;
  for (const int index : cluster.items)
    items.push_back(&context.program.items[static_cast<std::size_t>(index)]);
  const Item& item = *items.front();
  if (cluster.fused) return make_tile_step(context, cluster);
  if (item.kind == ItemKind::copy) return make_shape_step(context, item);
  const Op op = context.graph.node(item.node).op;
  switch (class_of(op)) {
    case OpClass::contraction:
      return op == Op::matmul ? make_matmul_step(context, item) : make_convolution_step(context, item);
    case OpClass::random:
      return make_random_step(context, item);
    case OpClass::update:
      return op == Op::adam ? make_adam_step(context, items) : make_random_step(context, item);
    case OpClass::reduction:
      return make_reduction_step(context, item);
    case OpClass::loss:
      return make_loss_step(context, item);
    default:
      return make_shape_step(context, item);
  }
}

}  // namespace halfling::cudnn
