// SPDX-License-Identifier: Apache-2.0
#include "step.hpp"

namespace halfling::cudnn {
namespace {

StepPointer make_contraction_step(const StepContext& context, const Item& item, Op op) {
  if (op == Op::matmul) return make_matmul_step(context, item);
  if (op == Op::conv2d || op == Op::conv2d_input_gradient || op == Op::conv2d_weight_gradient)
    return make_convolution_step(context, item);
  no_way_to_run(op);
}

}  // namespace

StepPointer make_step(const StepContext& context, const Cluster& cluster) {
  std::vector<const Item*> items;
  for (const int index : cluster.items)
    items.push_back(&context.program.items[static_cast<std::size_t>(index)]);
  const Item& item = *items.front();
  if (cluster.fused) return make_tile_step(context, cluster);
  if (item.kind == ItemKind::copy) return make_shape_step(context, item);
  const Op op = context.graph.node(item.node).op;
  switch (class_of(op)) {  // no default: the compiler asks about a new class
    case OpClass::contraction:
      return make_contraction_step(context, item, op);
    case OpClass::random:
      return make_random_step(context, item);
    case OpClass::update:
      if (op == Op::schedule) return make_schedule_step(context, item);
      return op == Op::adam ? make_adam_step(context, items) : make_random_step(context, item);
    case OpClass::reduction:
      return make_reduction_step(context, item);
    case OpClass::loss:
      return make_loss_step(context, item);
    case OpClass::shape:
      return make_shape_step(context, item);
    case OpClass::source:
    case OpClass::normalization:
    case OpClass::pointwise:
      break;  // lowering leaves none of them whole
  }
  no_way_to_run(op);
}

}  // namespace halfling::cudnn
