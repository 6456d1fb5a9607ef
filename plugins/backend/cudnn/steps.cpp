// SPDX-License-Identifier: Apache-2.0
#include "steps.hpp"

#include <algorithm>

namespace halfling::cudnn {
namespace {

const Item& item_at(const StepContext& context, int index) {
  return context.program.items[static_cast<std::size_t>(index)];
}

bool is_adam(const StepContext& context, const Cluster& cluster) {
  const Item& item = item_at(context, cluster.items.front());
  return !cluster.fused && item.kind == ItemKind::node && context.graph.node(item.node).op == Op::adam;
}

/// Whether two updates differ in nothing but their tensors. They are then independent: no parameter is
/// updated twice under one step count.
bool same_update(const StepContext& context, const Item& a, const Item& b) {
  if (context.graph.node(a.node).attributes != context.graph.node(b.node).attributes) return false;
  constexpr std::size_t shared[] = {3, 5, 6};  // step, inverse scale, skip
  return std::ranges::all_of(
      shared, [&](std::size_t i) { return context.address(a.in[i]) == context.address(b.in[i]); });
}

StepPointer make_step(const StepContext& context, const Cluster& cluster) {
  const Item& item = item_at(context, cluster.items.front());
  if (cluster.fused) return make_tile_step(context, cluster);
  if (item.kind == ItemKind::copy) return make_shape_step(context, item);
  const Op op = context.graph.node(item.node).op;
  switch (class_of(op)) {
    case OpClass::contraction:
      return op == Op::matmul ? make_matmul_step(context, item) : make_convolution_step(context, item);
    case OpClass::random:
    case OpClass::update:  // advance_random: Adam is grouped before
      return make_random_step(context, item);
    case OpClass::reduction:
      return make_reduction_step(context, item);
    case OpClass::loss:
      return make_loss_step(context, item);
    default:
      return make_shape_step(context, item);
  }
}

}  // namespace

std::vector<PlannedStep> make_steps(const StepContext& context, const std::vector<Cluster>& clusters) {
  std::vector<PlannedStep> steps;
  for (std::size_t i = 0; i < clusters.size(); ++i) {
    if (!is_adam(context, clusters[i])) {
      steps.push_back({make_step(context, clusters[i]), clusters[i].items});
      continue;
    }
    std::vector<const Item*> group;
    std::vector<int> items;
    for (; i < clusters.size() && is_adam(context, clusters[i]); ++i) {
      const Item& item = item_at(context, clusters[i].items.front());
      if (!group.empty() && !same_update(context, *group.front(), item)) break;
      group.push_back(&item);
      items.push_back(clusters[i].items.front());
    }
    --i;
    steps.push_back({make_adam_step(context, group), items});
  }
  return steps;
}

}  // namespace halfling::cudnn
