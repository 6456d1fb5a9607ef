// SPDX-License-Identifier: Apache-2.0
// One row per op: everything that the core knows about it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "halfling/builder.hpp"

namespace halfling {

/// What a shape rule sees: the operands of a node that is about to be appended.
struct OperandView {
  const Graph& graph;
  Op op;
  std::span<const ValueId> ids;
  const Attributes& attributes;

  const Shape& shape(std::size_t i) const { return graph.value(ids[i]).shape; }
  DType dtype(std::size_t i) const { return graph.value(ids[i]).dtype; }
  template <class T>
  const T& get() const {
    return std::get<T>(attributes);
  }
  /// Throws Error naming scope, op and operands.
  [[noreturn]] void fail(const std::string& expected) const;
  void require(bool condition, const char* expected) const {
    if (!condition) fail(expected);
  }
};

/// What a gradient rule sees: a forward node and the gradients of its results.
struct GradientView {
  Graph& graph;
  const Node& node;                    ///< a copy: appending may move the graph's nodes
  std::span<const ValueId> gradients;  ///< by result; no_value where nothing depends on it

  Value operand(std::size_t i) const { return {&graph, node.operands[i]}; }
  Value result(std::size_t i = 0) const { return {&graph, node.results[i]}; }
  Value gradient(std::size_t i = 0) const { return {&graph, gradients[i]}; }
  template <class T>
  const T& get() const {
    return std::get<T>(node.attributes);
  }
};

using ShapeRule = std::vector<ValueInfo> (*)(const OperandView&);
/// Returns the gradient of each operand (no_value: none). nullptr in the table: a gradient may not pass.
using GradientRule = std::vector<ValueId> (*)(const GradientView&);

struct OpInfo {
  Op op;
  const char* name;
  OpClass op_class;
  int least_operands;
  int most_operands;  ///< -1: any number
  ShapeRule infer;
  GradientRule gradient;
  /// FLOPs per element of the first result, for ops that are not contractions.
  double flops_per_element;
  /// Bit i: operand i takes the policy's io format (of an update: the format of operand 0, the old value);
  /// the others keep their own.
  unsigned io_operands;
};

inline constexpr unsigned all_operands = ~0u;

/// Throws Error for a number beyond the enumeration.
const OpInfo& info_of(Op op);

}  // namespace halfling
