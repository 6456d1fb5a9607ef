// SPDX-License-Identifier: Apache-2.0
#include "pad.hpp"

#include <algorithm>
#include <cstring>
#include <map>

#include "halfling/error.hpp"
#include "pad_plan.hpp"

namespace halfling::cudnn {
namespace {

class Padding {
 public:
  Padding(const Graph& graph, std::span<const StateLayout> known)
      : from_(graph), plan_(plan_padding(graph, known)), kept_(graph.values().size()) {}

  PaddedGraph run() && {
    for (std::size_t i = 0; i < from_.nodes().size(); ++i) convert(from_.nodes()[i], plan_.dimensions[i]);
    finish();
    return std::move(result_);
  }

 private:
  /// A value of the new graph that stands for one of the old, and the axes along which it is padded.
  struct Kept {
    ValueId id = no_value;
    Axes axes = 0;
  };

  Graph& to() { return result_.graph; }
  Kept& kept(ValueId old) { return kept_[static_cast<std::size_t>(old)]; }
  Axes planned(ValueId old) const { return plan_.axes[static_cast<std::size_t>(old)]; }

  void convert(const Node& node, const std::vector<Dimension>& dimensions) {
    to().context() = {node.scope, node.stage, node.compute};
    if (node.op == Op::input) return convert_input(node);
    if (node.op == Op::state) return convert_state(node);
    std::vector<Axes> operand_axes(node.operands.size()), result_axes(node.results.size());
    if (node.op == Op::any_nonfinite)  // finds the same in the padding as beside it
      std::ranges::transform(node.operands, operand_axes.begin(), [&](ValueId id) { return planned(id); });
    for (const Dimension& d : dimensions) {
      if (!pads(node, d)) continue;
      for (const Axis& a : d.operands) operand_axes[static_cast<std::size_t>(a.slot)] |= 1u << a.axis;
      for (const Axis& a : d.results) result_axes[static_cast<std::size_t>(a.slot)] |= 1u << a.axis;
    }
    std::vector<ValueId> operands;
    for (std::size_t i = 0; i < node.operands.size(); ++i)
      operands.push_back(form(node.operands[i], operand_axes[i]));
    append(node, std::move(operands), result_axes);
  }

  /// Whether a node computes the padding along a dimension: always where a contraction needs it, else where
  /// the plan says so.
  bool pads(const Node& node, const Dimension& d) const {
    const auto is_planned = [&](const std::vector<ValueId>& values, const Axis& a) {
      return has(planned(values[static_cast<std::size_t>(a.slot)]), a.axis);
    };
    return carries(node, d, [&](const Axis& a) { return is_planned(node.operands, a); }) &&
           (class_of(node.op) == OpClass::contraction ||
            std::ranges::any_of(d.results, [&](const Axis& a) { return is_planned(node.results, a); }));
  }

  void append(const Node& node, std::vector<ValueId> operands, const std::vector<Axes>& axes) {
    Attributes attributes = node.attributes;
    const Shape shape = padded(from_.value(node.results[0]).shape, axes[0]);
    if (auto* target = std::get_if<ShapeAttributes>(&attributes)) target->shape = shape;
    if (node.op == Op::concat)
      if (const int axis = std::get<AxisAttributes>(attributes).axis; has(axes[0], axis))
        operands.push_back(zeros(node.results[0], shape, axis));
    const std::vector<ValueId> results =
        to().node(to().append(node.op, std::move(operands), attributes)).results;
    for (std::size_t i = 0; i < results.size(); ++i) kept(node.results[i]) = {results[i], axes[i]};
  }

  void convert_input(const Node& node) {
    const ValueInfo& info = from_.value(node.results[0]);
    kept(node.results[0]).id =
        to().input(std::get<NameAttributes>(node.attributes).name, info.dtype, info.shape);
  }

  void convert_state(const Node& node) {
    State state = *std::ranges::find(from_.states(), node.results[0], &State::first);
    const Shape logical = state.shape;
    state.shape = padded(logical, planned(state.first));
    result_.states.push_back({state.name, state.dtype, logical, state.shape});
    kept(node.results[0]) = {to().state(state), planned(node.results[0])};
  }

  /// An old value, padded along these axes and no others; made once.
  ValueId form(ValueId old, Axes axes) {
    const Kept from = kept(old);
    if (from.axes == axes) return from.id;
    const auto [entry, is_new] = forms_.try_emplace({old, axes}, no_value);
    if (!is_new) return entry->second;
    const Shape& logical = from_.value(old).shape;
    Axes now = from.axes;
    ValueId id = from.id;
    for (int axis = 0; axis < logical.rank(); ++axis)
      if (has(now & ~axes, axis)) {
        id = to().append_value(Op::slice, {id}, AxisAttributes{axis, 0, logical[axis]});
        now &= ~(1u << axis);
      }
    for (int axis = 0; axis < logical.rank(); ++axis)
      if (has(axes & ~now, axis)) {
        now |= 1u << axis;
        id = to().append_value(Op::concat, {id, zeros(old, padded(logical, now), axis)},
                               AxisAttributes{axis, 0, 0});
      }
    return entry->second = id;
  }

  /// The zeros that extend an old value along an axis to this shape.
  ValueId zeros(ValueId old, Shape shape, int axis) {
    const ValueInfo& info = from_.value(old);
    shape[axis] -= info.shape[axis];
    const auto [entry, is_new] = zeros_.try_emplace({info.dtype, shape.text()}, no_value);
    if (is_new) entry->second = to().append_value(Op::constant, {}, ConstantAttributes{0, info.dtype, shape});
    return entry->second;
  }

  void finish() {
    const auto enter = [&](ValueId old) {
      const Node& node = from_.node(from_.value(old).producer);
      to().context() = {node.scope, node.stage, node.compute};
    };
    for (const Port& port : from_.outputs()) {
      enter(port.value);
      to().output(port.name, form(port.value, 0));
    }
    for (const State& state : from_.states()) {
      if (state.latest == state.first) continue;
      enter(state.latest);
      to().assign(state.name, form(state.latest, planned(state.first)));
    }
    to().context() = from_.context();
  }

  const Graph& from_;
  const PadPlan plan_;
  std::vector<Kept> kept_;  ///< by old value
  std::map<std::pair<ValueId, Axes>, ValueId> forms_;
  std::map<std::pair<DType, std::string>, ValueId> zeros_;
  PaddedGraph result_;
};

void check_size(const StateLayout& state, const Shape& shape, std::size_t bytes) {
  const std::size_t expected = static_cast<std::size_t>(shape.elements()) * size_of(state.dtype);
  if (bytes == expected) return;
  throw Error({.what = "a buffer has the wrong size for a state",
               .where = state.name,
               .got = std::to_string(bytes) + " bytes",
               .expected = std::to_string(expected) + " bytes for " + std::string(name_of(state.dtype)) +
                           " " + shape.text(),
               .hint = ""});
}

/// Calls visit(logical offset, padded offset, length) for every row of a state, in bytes.
template <class Visit>
void for_each_row(const StateLayout& state, Visit visit) {
  const int last = state.logical.rank() - 1;
  const std::int64_t length = last < 0 ? 1 : state.logical[last];
  const std::int64_t element = static_cast<std::int64_t>(size_of(state.dtype));
  for (std::int64_t row = 0; row < state.logical.elements() / length; ++row) {
    std::int64_t rest = row, at = 0, stride = last < 0 ? 1 : state.padded[last];
    for (int axis = last - 1; axis >= 0; --axis) {
      at += rest % state.logical[axis] * stride;
      rest /= state.logical[axis];
      stride *= state.padded[axis];
    }
    visit(row * length * element, at * element, static_cast<std::size_t>(length * element));
  }
}

}  // namespace

PaddedGraph pad(const Graph& graph, std::span<const StateLayout> known) {
  return Padding(graph, known).run();
}

void pad_state(const StateLayout& state, std::span<const std::byte> logical, std::span<std::byte> padded) {
  check_size(state, state.logical, logical.size());
  check_size(state, state.padded, padded.size());
  std::ranges::fill(padded, std::byte{0});
  for_each_row(state, [&](std::int64_t from, std::int64_t to, std::size_t length) {
    std::memcpy(padded.data() + to, logical.data() + from, length);
  });
}

void unpad_state(const StateLayout& state, std::span<const std::byte> padded, std::span<std::byte> logical) {
  check_size(state, state.padded, padded.size());
  check_size(state, state.logical, logical.size());
  for_each_row(state, [&](std::int64_t to, std::int64_t from, std::size_t length) {
    std::memcpy(logical.data() + to, padded.data() + from, length);
  });
}

}  // namespace halfling::cudnn
