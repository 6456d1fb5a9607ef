// SPDX-License-Identifier: Apache-2.0
// Plugin kind "precision": which format every op stores and computes in.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "halfling/device.hpp"
#include "halfling/graph.hpp"
#include "halfling/plugin.hpp"

namespace halfling {

struct Precision {
  /// Format of float operands and results; nullopt: the widest of its operands, to which parameters and
  /// constants among them adapt.
  std::optional<DType> io;
  DType compute = DType::f32;  ///< format that it computes and accumulates in
};

class HALFLING_API PrecisionPolicy : public Component {
 public:
  static constexpr const char* kind = "precision";

  /// Called once, before anything else: lets `half = "auto"` take the format that the device computes
  /// natively.
  virtual void bind(const Device& device) { (void)device; }
  /// The answer for one node of a forward graph. Not asked for sources, casts, updates and gradient_of.
  virtual Precision precision(const Graph& graph, const Node& node) const = 0;
  /// Called with every forward graph of an experiment (each phase, then sampling) before anything runs.
  /// Throws Error (usage) where the policy does not fit them: a rule that matches nothing.
  virtual void check(std::span<const Graph* const> graphs) const { (void)graphs; }
  /// True: gradients of parameters leave their contraction in f32, even where its operands are half.
  virtual bool wide_weight_gradients() const { return false; }
  /// What parameters and statistics are stored in.
  virtual DType parameter_format() const { return DType::f32; }
  /// Every format that the answers can name; the device must offer each.
  virtual std::vector<DType> formats() const = 0;
};

/// A graph with casts, and where each old value went.
struct PrecisionResult {
  Graph graph;
  std::vector<ValueId> map;  ///< by old ValueId
};

/// Applies a policy to a forward graph: casts each value at most once per format, sets every node's compute
/// format, and stores parameters and statistics in the policy's parameter format. Operands that an op table
/// row marks as kept (affine parameters, statistics) are not cast. Each gradient_of becomes the backward pass
/// that it stands for, through the casts.
HALFLING_API PrecisionResult apply_precision(const Graph& graph, const PrecisionPolicy& policy);

}  // namespace halfling
