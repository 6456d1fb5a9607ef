// SPDX-License-Identifier: Apache-2.0
#include "pad_plan.hpp"

#include <algorithm>

#include "halfling/error.hpp"

namespace halfling::cudnn {
namespace {

bool may_be_padded(const State& state) {
  return is_float(state.dtype) && state.role != StateRole::scaler && state.role != StateRole::counter;
}

/// The axes along which a state is padded that exists already.
Axes known_axes(const State& state, const StateLayout& known) {
  Axes axes = 0;
  for (int axis = 0; axis < std::min(state.shape.rank(), known.padded.rank()); ++axis)
    if (known.padded[axis] != state.shape[axis]) axes |= 1u << axis;
  if (known.logical == state.shape && known.dtype == state.dtype && known.padded == padded(state.shape, axes))
    return axes;
  throw Error({.what = "a state has another type than in a graph compiled before",
               .where = state.name,
               .got = std::string(name_of(state.dtype)) + " " + state.shape.text(),
               .expected = std::string(name_of(known.dtype)) + " " + known.logical.text(),
               .hint = ""});
}

class Planning {
 public:
  explicit Planning(const Graph& graph)
      : graph_(graph), possible_(graph.values().size()), wanted_(graph.values().size()) {
    for (const Node& node : graph.nodes()) {
      dimensions_.push_back(dimensions_of(graph, node));
      std::erase_if(dimensions_.back(), [](const Dimension& d) { return !d.odd(); });
    }
  }

  PadPlan run(std::span<const StateLayout> known) && {
    for (const State& state : graph_.states()) {
      const auto found = std::ranges::find(known, state.name, &StateLayout::name);
      if (found != known.end())
        possible(state.first) = wanted(state.first) = known_axes(state, *found);
      else
        possible(state.first) = may_be_padded(state) ? ~0u : 0u;
    }
    find_possible();
    while (find_wanted()) {
    }
    for (std::size_t i = 0; i < wanted_.size(); ++i) wanted_[i] &= possible_[i];
    return {std::move(dimensions_), std::move(wanted_)};
  }

 private:
  Axes& possible(ValueId id) { return possible_[static_cast<std::size_t>(id)]; }
  Axes& wanted(ValueId id) { return wanted_[static_cast<std::size_t>(id)]; }
  static ValueId at(const std::vector<ValueId>& values, const Axis& a) {
    return values[static_cast<std::size_t>(a.slot)];
  }

  bool is_possible(const Node& node, const Dimension& d) {
    return carries(node, d, [&](const Axis& a) { return has(possible(at(node.operands, a)), a.axis); });
  }
  bool wants(const std::vector<ValueId>& values, const std::vector<Axis>& axes) {
    return std::ranges::any_of(axes, [&](const Axis& a) { return has(wanted(at(values, a)), a.axis); });
  }
  void want(const std::vector<ValueId>& values, const std::vector<Axis>& axes) {
    for (const Axis& a : axes) wanted(at(values, a)) |= 1u << a.axis;
  }

  void find_possible() {
    for (std::size_t i = 0; i < graph_.nodes().size(); ++i) {
      const Node& node = graph_.nodes()[i];
      for (const Dimension& d : dimensions_[i])
        if (is_possible(node, d))
          for (const Axis& a : d.results) possible(at(node.results, a)) |= 1u << a.axis;
    }
  }

  /// One walk from the last node to the first; true where it found something new.
  bool find_wanted() {
    const std::vector<Axes> before = wanted_;
    for (std::size_t i = graph_.nodes().size(); i-- > 0;)
      for (const Dimension& d : dimensions_[i]) want_operands(graph_.nodes()[i], d);
    for (const State& state : graph_.states())
      if (may_be_padded(state)) wanted(state.latest) |= wanted(state.first);
    return wanted_ != before;
  }

  void want_operands(const Node& node, const Dimension& d) {
    const OpClass kind = class_of(node.op);
    const bool together = kind == OpClass::update || kind == OpClass::normalization;
    const bool asked =
        d.demanded || wants(node.results, d.results) || (together && wants(node.operands, d.operands));
    if (!asked || !is_possible(node, d)) return;
    want(node.operands, d.operands);
    if (together) want(node.results, d.results);
  }

  const Graph& graph_;
  std::vector<std::vector<Dimension>> dimensions_;
  std::vector<Axes> possible_, wanted_;  ///< by value
};

}  // namespace

Shape padded(Shape shape, Axes axes) {
  for (int axis = 0; axis < shape.rank(); ++axis)
    if (has(axes, axis)) shape[axis] = padded_extent(shape[axis]);
  return shape;
}

PadPlan plan_padding(const Graph& graph, std::span<const StateLayout> known) {
  return Planning(graph).run(known);
}

}  // namespace halfling::cudnn
