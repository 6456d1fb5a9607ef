// SPDX-License-Identifier: Apache-2.0
#include "plan/roofline.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "halfling/cost.hpp"

namespace halfling {
namespace {

constexpr double tile = 64;  // rows and columns of a product's result that a processor computes at a time

bool is_loop(const Node& node) {
  switch (class_of(node.op)) {
    case OpClass::pointwise:
    case OpClass::reduction:
    case OpClass::loss:
    case OpClass::random:
      return true;
    case OpClass::shape:
      return node.op == Op::cast || node.op == Op::broadcast || node.op == Op::one_hot;
    default:
      return false;
  }
}

/// A view of what it reads.
bool is_free(Op op) {
  return op == Op::reshape || op == Op::detach;
}

class Roofline {
 public:
  Roofline(const Graph& graph, const Rates& rates) : graph_(graph), rates_(rates) {
    readers_.resize(graph.values().size());
    for (const Node& node : graph.nodes())
      for (const ValueId operand : node.operands)
        readers_[static_cast<std::size_t>(operand)].push_back(&node);
    for (const Port& output : graph.outputs()) outputs_.insert(output.value);
  }

  std::optional<PredictedTime> run() {
    for (const Node& node : graph_.nodes())
      if (!add(node)) return std::nullopt;
    return time_;
  }

 private:
  bool add(const Node& node) {
    const OpClass op_class = class_of(node.op);
    if (op_class == OpClass::source || is_free(node.op)) return true;
    if (op_class == OpClass::contraction) return add_contraction(node);
    if (is_loop(node)) {
      add_loop(node);
      return true;
    }
    double bytes = cost_of(graph_, node).bytes;
    if (op_class == OpClass::normalization) bytes += bytes_of(node.operands.front());
    (op_class == OpClass::update ? time_.updates : time_.loops) += moving(bytes);
    time_.launches += rates_.launch_s;
    return true;
  }

  bool add_contraction(const Node& node) {
    if (graph_.value(node.operands.front()).dtype == DType::f64) return false;
    const bool half = is_half(graph_.value(node.operands.front()).dtype);
    const bool tf32 = !half && node.compute == DType::tf32;
    const double peak = half ? rates_.half : tf32 ? rates_.tf32 : rates_.f32;
    if (peak == 0) return false;
    const Shape& result = graph_.value(node.results.front()).shape;
    const double columns = static_cast<double>(result[result.rank() == 4 ? 1 : result.rank() - 1]);
    const double rows = static_cast<double>(result.elements()) / columns;
    const double tiles = std::ceil(rows / tile) * std::ceil(columns / tile);
    const double busy = std::min(1.0, tiles / rates_.processors);
    const double share = half || tf32 ? rates_.half_share : rates_.single_share;
    const Cost cost = cost_of(graph_, node);
    time_.contractions += std::max(cost.flops / (peak * share * busy), moving(cost.bytes));
    time_.launches += rates_.launch_s;
    return true;
  }

  /// What enters from outside of the run of loops that it is part of, and what leaves it.
  void add_loop(const Node& node) {
    double bytes = 0;
    for (const ValueId operand : node.operands)
      if (!within(graph_.value(operand).producer, node.stage)) bytes += bytes_of(operand);
    for (const ValueId result : node.results) {
      if (!leaves(result, node.stage)) continue;
      bytes += bytes_of(result);
      time_.launches += rates_.launch_s;
    }
    time_.loops += moving(bytes);
  }

  bool within(NodeId producer, Stage stage) const {
    return producer >= 0 && is_loop(graph_.node(producer)) && graph_.node(producer).stage == stage;
  }
  bool leaves(ValueId value, Stage stage) const {
    return outputs_.contains(value) ||
           std::ranges::any_of(readers_[static_cast<std::size_t>(value)], [&](const Node* reader) {
             return !is_loop(*reader) || reader->stage != stage;
           });
  }
  double bytes_of(ValueId value) const {
    const ValueInfo& info = graph_.value(value);
    return static_cast<double>(info.shape.elements()) * static_cast<double>(size_of(info.dtype));
  }
  double moving(double bytes) const { return bytes / (rates_.bandwidth * rates_.bandwidth_share); }

  const Graph& graph_;
  const Rates& rates_;
  std::vector<std::vector<const Node*>> readers_;  ///< by ValueId
  std::set<ValueId> outputs_;
  PredictedTime time_;
};

}  // namespace

std::optional<PredictedTime> predicted_time(const Graph& graph, const Rates& rates) {
  return Roofline(graph, rates).run();
}

}  // namespace halfling
