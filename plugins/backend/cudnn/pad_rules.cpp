// SPDX-License-Identifier: Apache-2.0
#include "pad_rules.hpp"

#include <algorithm>
#include <limits>

namespace halfling::cudnn {
namespace {

using Dimensions = std::vector<Dimension>;

class Rules {
 public:
  Rules(const Graph& graph, const Node& node) : graph_(graph), node_(node) {}

  Dimensions dimensions() const {
    switch (node_.op) {
      case Op::matmul:
        return matmul();
      case Op::conv2d:
        return {demanded({{0, 1}, {1, 1}}, {}), demanded({{1, 0}}, {{0, 1}})};
      case Op::conv2d_input_gradient:
        return {demanded({{0, 1}, {1, 0}}, {}), demanded({{1, 1}}, {{0, 1}})};
      case Op::conv2d_weight_gradient:
        return {demanded({{0, 1}}, {{0, 1}}), demanded({{1, 1}}, {{0, 0}})};
      case Op::batch_norm:
      case Op::batch_norm_gradient:
      case Op::batch_norm_inference:
        return normalization();
      case Op::affine:
        return get<AffineAttributes>().shift == 0 ? everywhere({0}) : Dimensions{};
      case Op::leaky_relu:  // slope 0 makes something finite of an infinity
        return get<SlopeAttributes>().slope != 0 ? everywhere({0}) : Dimensions{};
      case Op::sqrt:
      case Op::cast:
      case Op::detach:
        return everywhere({0});
      case Op::add:
      case Op::subtract:
      case Op::moving_average:
        return everywhere({0, 1});
      case Op::leaky_relu_gradient:
        return get<SlopeAttributes>().slope != 0 ? everywhere({0, 1}) : Dimensions{};
      case Op::select:  // by element it may choose only finite ones beside padding that is not
        return operand(0).rank() == 0 ? everywhere({1, 2}) : Dimensions{};
      case Op::adam:
        return everywhere(
            {AdamOperand::parameter, AdamOperand::mean, AdamOperand::variance, AdamOperand::gradient});
      case Op::multiply:
        return multiply();
      case Op::sum:
      case Op::broadcast:
      case Op::concat:
      case Op::slice:
        return off_axis();
      case Op::reshape:
        return reshape();
      default:
        // Either zeros do not stay zeros (exp), or something finite comes of an infinity (tanh, minimum), or
        // there are no channels.
        return {};
    }
  }

 private:
  template <class A>
  const A& get() const {
    return std::get<A>(node_.attributes);
  }
  const Shape& operand(int i) const {
    return graph_.value(node_.operands[static_cast<std::size_t>(i)]).shape;
  }
  const Shape& result() const { return graph_.value(node_.results[0]).shape; }

  Dimension dimension(std::vector<Axis> operands, std::vector<Axis> results) const {
    const std::int64_t extent =
        operands.empty() ? result()[results[0].axis] : operand(operands[0].slot)[operands[0].axis];
    return {extent, std::move(operands), std::move(results), false};
  }
  Dimension demanded(std::vector<Axis> operands, std::vector<Axis> results) const {
    Dimension d = dimension(std::move(operands), std::move(results));
    d.demanded = true;
    return d;
  }
  std::vector<Axis> all_results(int axis) const {
    std::vector<Axis> axes;
    for (std::size_t i = 0; i < node_.results.size(); ++i) axes.push_back({static_cast<int>(i), axis});
    return axes;
  }

  /// Rows lie one behind the other, so it is their length, the extent of axis 1, that must be a multiple.
  Dimensions matmul() const {
    const auto [ta, tb] = get<MatmulAttributes>();
    const int inner_a = ta ? 0 : 1, inner_b = tb ? 1 : 0;
    Dimensions all{dimension({{0, 1 - inner_a}}, {{0, 0}}), dimension({{0, inner_a}, {1, inner_b}}, {}),
                   dimension({{1, 1 - inner_b}}, {{0, 1}})};
    const auto contiguous = [](const Axis& axis) { return axis.axis == 1; };
    for (Dimension& d : all)
      d.demanded = std::ranges::any_of(d.operands, contiguous) || std::ranges::any_of(d.results, contiguous);
    return all;
  }

  /// A channel of zeros has mean and variance 0; its 1 / sqrt(0 + epsilon) must be a number in f32.
  Dimensions normalization() const {
    if (get<EpsilonAttributes>().epsilon < std::numeric_limits<float>::min()) return {};
    Dimension channels{result()[1], {}, {{0, 1}}, false};
    for (int i = 0; i < static_cast<int>(node_.operands.size()); ++i)
      channels.operands.push_back({i, operand(i).rank() == 1 ? 0 : 1});
    for (int i = 1; i < static_cast<int>(node_.results.size()); ++i) channels.results.push_back({i, 0});
    return {channels};
  }

  /// Every axis along which these operands are as long as the results.
  Dimensions everywhere(const std::vector<int>& operands) const {
    Dimensions all;
    for (int axis = 0; axis < result().rank(); ++axis) {
      std::vector<Axis> axes;
      for (const int i : operands)
        if (operand(i)[axis] == result()[axis]) axes.push_back({i, axis});
      if (axes.size() == operands.size()) all.push_back(dimension(axes, all_results(axis)));
    }
    return all;
  }

  /// Zero times anything broadcast is zero; a loss scale is broadcast also where an extent happens to be 1.
  Dimensions multiply() const {
    Dimensions all;
    for (int axis = 0; axis < result().rank(); ++axis) {
      std::vector<Axis> axes;
      for (const int i : {0, 1})
        if (operand(i)[axis] == result()[axis] && (operand(i).elements() != 1 || result().elements() == 1))
          axes.push_back({i, axis});
      if (!axes.empty()) all.push_back(dimension(axes, all_results(axis)));
    }
    return all;
  }

  /// Along the axes that the op works on, only a concat can be padded: it has zeros appended.
  Dimensions off_axis() const {
    Dimensions all;
    for (int axis = 0; axis < result().rank(); ++axis) {
      std::vector<Axis> axes;
      const bool joined = node_.op == Op::concat && get<AxisAttributes>().axis == axis;
      for (int i = 0; !joined && i < static_cast<int>(node_.operands.size()); ++i) axes.push_back({i, axis});
      if (joined || !works_on(axis)) all.push_back(dimension(axes, all_results(axis)));
    }
    return all;
  }
  bool works_on(int axis) const {
    switch (node_.op) {
      case Op::sum:
        return (get<AxesAttributes>().mask >> axis & 1u) != 0;
      case Op::broadcast:
        return operand(0)[axis] != result()[axis];
      default:
        return get<AxisAttributes>().axis == axis;
    }
  }

  /// [C], [1,C] and [1,C,1,1] are the same channels, and so are [N,C] and [N,C,1,1].
  Dimensions reshape() const {
    const Shape &from = operand(0), &to = result();
    if (from.rank() == 0 || to.rank() == 0) return {};
    const int a = channel_axis(from), b = channel_axis(to);
    if (from[a] != to[b] || elements_before(from, a) != elements_before(to, b)) return {};
    return {dimension({{0, a}}, {{0, b}})};
  }
  static int channel_axis(const Shape& shape) { return shape.rank() == 1 ? 0 : 1; }
  static std::int64_t elements_before(const Shape& shape, int axis) { return axis == 0 ? 1 : shape[0]; }

  const Graph& graph_;
  const Node& node_;
};

}  // namespace

std::vector<Dimension> dimensions_of(const Graph& graph, const Node& node) {
  return Rules(graph, node).dimensions();
}

}  // namespace halfling::cudnn
