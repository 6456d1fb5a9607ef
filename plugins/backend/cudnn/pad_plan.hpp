// SPDX-License-Identifier: Apache-2.0
// Which values of a graph are padded, and along which axes.
#pragma once

#include <span>
#include <vector>

#include "pad.hpp"
#include "pad_rules.hpp"

namespace halfling::cudnn {

/// Some axes of a value; bit i: axis i.
using Axes = unsigned;

inline bool has(Axes axes, int axis) {
  return (axes >> axis & 1u) != 0;
}

/// The shape with these axes' extents rounded up.
Shape padded(Shape shape, Axes axes);

struct PadPlan {
  std::vector<std::vector<Dimension>> dimensions;  ///< by node; those that are no multiples
  std::vector<Axes> axes;                          ///< by value: how its node leaves it
};

/// A value is padded where that is possible without effort (it is a state or the result of a contraction, or
/// is computed from such values only) and wanted (a contraction reads it, or something computed from it). The
/// moments of a padded state are padded, and so are the channel vectors beside a padded channel.
PadPlan plan_padding(const Graph& graph, std::span<const StateLayout> known);

/// Whether a node works on padding along a dimension, where `is_padded` says which operands have it. A
/// contraction and an update in place have it added to the other operands.
template <class IsPadded>
bool carries(const Node& node, const Dimension& d, IsPadded is_padded) {
  if (class_of(node.op) == OpClass::contraction) {
    bool any = d.demanded;
    for (const Axis& a : d.operands) any = any || is_padded(a);
    return any;
  }
  if (node.op == Op::adam || node.op == Op::moving_average) return is_padded(d.operands[0]);
  bool all = true;
  for (const Axis& a : d.operands) all = all && is_padded(a);
  return all;
}

}  // namespace halfling::cudnn
