// SPDX-License-Identifier: Apache-2.0
// One training iteration as one graph: every phase's forward pass under the precision policy, its gradients,
// loss scaling, the finite check, the updates, and the random numbers.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/world.hpp"
#include "experiment/experiment.hpp"
#include "halfling/architecture.hpp"
#include "halfling/loss_scaler.hpp"
#include "halfling/optimizer.hpp"
#include "halfling/precision.hpp"
#include "iteration/cycle.hpp"
#include "iteration/learning_rate.hpp"

namespace halfling {

/// What a training operation has of its own.
struct OperationOptimizer {
  const Optimizer* optimizer = nullptr;
  ScheduleSettings schedule = {};
};

struct IterationRequest {
  const Architecture* architecture = nullptr;
  const PrecisionPolicy* policy = nullptr;
  const LossScaler* scaler = nullptr;
  ScalerScope scope = ScalerScope::operation;
  bool skip_together = false;  ///< an operation also skips with the others that overflow before its update
  std::map<std::string, OperationOptimizer> optimizers;  ///< by training operation
  const Optimizer* optimizer = nullptr;                  ///< of the operations that have none of their own
  ScheduleSettings schedule = {};                        ///< of these
  TrainingUnits units = {};                              ///< of the schedules' lengths
  AverageSettings average = {};
  BatchSpec spec;                   ///< of this process
  World world = {};                 ///< the noises of all its processes together are those of one large batch
  std::size_t variant = 0;          ///< of the architecture's Cycle: which phases run
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
  /// Inputs: "images" u8 [N,C,H,W] (divided by 255 on the device), "labels" i32 [N], and of further batches
  /// "images#1", ... (batch_inputs.hpp).
  /// Outputs, all scalars, for each training operation: "loss.<op>" f32 (f64 under fp64; the mean over its
  /// runs of this iteration), "scale.<op>" f32 (of the next iteration), "skipped.<op>" boolean (an update of
  /// this iteration was skipped), "updates.<op>" i32 (updates made so far), "found.<op>" f32 (runs so far in
  /// which its loss or a gradient was not finite), "skipped_in_a_row.<op>" f32. Of an operation that does not
  /// run in this variant, what its last run left.
  Graph graph;
  std::vector<std::string> operations;        ///< in order, those that do not run included
  std::vector<Rhythm> rhythms;                ///< by operation
  std::vector<ScheduleAttributes> schedules;  ///< of their learning rates, by operation
  std::int64_t batches = 1;                   ///< that it reads
  /// With `observe`: gradients as the backward pass leaves them, multiplied by the loss scale, of parameters
  /// and of the results of contractions and normalizations; and those results. Output "scaled_by.<op>" is the
  /// scale. Such an iteration is what build_monitor starts from; it cannot itself be compiled.
  std::vector<Observed> observed;
};

/// A skipped update leaves parameters, optimizer states and step count of its operation as they were. An
/// update is skipped where its loss is not finite and, with an active scaler, where a gradient is not finite.
/// Each run of an operation decides alone; with skip_together, it is also skipped where another operation of
/// its phase, or an earlier run in this iteration, has found such a value. The scaler hears of all runs of
/// its own operations, once an iteration, and not in an iteration in which none of them runs. Throws Error
/// (usage) where a loss reaches no parameter that it should update.
IterationGraph build_iteration(const IterationRequest& request);

/// The architecture's sampling graph under the policy, simplified; inputs and outputs as it declares them. An
/// empty graph where there is no generator.
Graph build_sampling(const Architecture& architecture, const PrecisionPolicy& policy, const BatchSpec& spec);
/// Whether the architecture draws images at all.
inline bool has_generator(const Architecture& architecture, const BatchSpec& spec) {
  return !architecture.sampling(spec).outputs().empty();
}
/// As build_sampling, of its classification graph.
Graph build_classification(const Architecture& architecture, const PrecisionPolicy& policy,
                           const BatchSpec& spec);

}  // namespace halfling
