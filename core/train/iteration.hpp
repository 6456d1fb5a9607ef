// SPDX-License-Identifier: Apache-2.0
// One training iteration as one graph: every phase's forward pass under the precision policy, its gradients,
// loss scaling, the finite check, the updates, and the random numbers.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "halfling/architecture.hpp"
#include "halfling/loss_scaler.hpp"
#include "halfling/optimizer.hpp"
#include "halfling/precision.hpp"

namespace halfling {

struct IterationRequest {
  const Architecture* architecture = nullptr;
  const PrecisionPolicy* policy = nullptr;
  const LossScaler* scaler = nullptr;
  ScalerScope scope = ScalerScope::operation;
  bool skip_together = false;  ///< an operation also skips with the others that overflow before its update
  std::map<std::string, const Optimizer*> optimizers;  ///< by training operation
  const Optimizer* optimizer = nullptr;                ///< of the operations that have none of their own
  BatchSpec spec;
  bool given_noise = false;         ///< noises are inputs instead of random numbers
  bool given_float_images = false;  ///< "images" is f32 in [0, 1] instead of u8
  bool observe = false;             ///< what the numerics monitor may look at becomes outputs
};

/// A value for the numerics monitor.
struct Observed {
  std::string kind;       ///< "gradient", "activation gradient" or "activation"
  std::string operation;  ///< the training operation of a gradient
  std::string value;      ///< name of the parameter or layer; a layer that is used twice stands here twice
  std::string output;
};

/// Whether the first result of a node is a layer's, which can be observed: contractions and normalizations.
inline bool is_observable(const Node& node) {
  const OpClass op_class = class_of(node.op);
  return op_class == OpClass::contraction || op_class == OpClass::normalization;
}

struct IterationGraph {
  /// Inputs: "images" u8 [N,C,H,W] (divided by 255 on the device), "labels" i32 [N].
  /// Outputs, all scalars, for each training operation: "loss.<op>" f32 (f64 under fp64), "scale.<op>" f32
  /// (of the next iteration),
  /// "skipped.<op>" boolean (this iteration's update was skipped), "updates.<op>" i32 (updates made so far),
  /// "found.<op>" f32 (iterations so far in which its loss or a gradient was not finite),
  /// "skipped_in_a_row.<op>" f32.
  Graph graph;
  std::vector<std::string> operations;  ///< in order
  /// With `observe`: gradients as the backward pass leaves them, multiplied by the loss scale, of parameters
  /// and of the results of contractions and normalizations; and those results. Output "scaled_by.<op>" is the
  /// scale. Such an iteration is what build_monitor starts from; it cannot itself be compiled.
  std::vector<Observed> observed;
};

/// A skipped update leaves parameters, optimizer states and step count of its operation as they were. An
/// update is skipped where its loss is not finite and, with an active scaler, where a gradient is not finite.
/// Each operation decides alone; with skip_together, an operation is also skipped where another one of its
/// phase or of an earlier phase has found such a value. The scaler hears of the operation's own values only,
/// once an iteration. Throws Error (usage) where a loss reaches no parameter that it should
/// update.
IterationGraph build_iteration(const IterationRequest& request);

/// The architecture's sampling graph under the policy, simplified; inputs and outputs as it declares them.
Graph build_sampling(const Architecture& architecture, const PrecisionPolicy& policy, const BatchSpec& spec);

/// A copy of an iteration that changes no state and has one output more for each float value of the forward
/// and backward passes, "nonfinite.<value id>", boolean, in the order of computation; and which value that
/// is. It answers which value became non-finite first.
struct DiagnosticGraph {
  struct Checked {
    std::string output;
    std::string value;  ///< readable
    Stage stage;
  };
  Graph graph;
  std::vector<Checked> values;
};
DiagnosticGraph build_diagnostic(const Graph& iteration);

}  // namespace halfling
