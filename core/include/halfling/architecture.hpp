// SPDX-License-Identifier: Apache-2.0
// Plugin kind "architecture": builds the networks and losses of a GAN. It knows nothing of gradients, number
// formats, optimizers or backends.
#pragma once

#include <string>
#include <vector>

#include "halfling/nn.hpp"
#include "halfling/plugin.hpp"

namespace halfling {

/// What an architecture builds for.
struct BatchSpec {
  std::int64_t batch = 0;
  Shape image;  ///< {C, H, W}
  std::int64_t classes = 0;
};

/// A loss, and the parameters that it updates.
struct TrainingOperation {
  std::string name;                  ///< "d"
  ValueId loss = no_value;           ///< scalar
  std::vector<std::string> updates;  ///< prefixes of parameter names: {"d.", "c.", "g."}
};

/// Training operations whose gradients come from one forward pass, all taken before the first update.
struct Phase {
  std::string name;
  Graph graph;  ///< forward only
  std::vector<TrainingOperation> operations;
};

// Inputs that a graph may declare by these functions; each is the same value in every phase of an iteration.
/// [N,C,H,W], f32 in [0, 1].
HALFLING_API Value images_input(Graph& graph, const BatchSpec& spec);
/// i32 [N].
HALFLING_API Value labels_input(Graph& graph, const BatchSpec& spec);
/// f32 of any shape, drawn anew each iteration: uniform in [low, high).
HALFLING_API Value noise_input(Graph& graph, const std::string& name, Shape shape);

/// How a noise input is drawn.
struct Noise {
  std::string name;
  double low = -1;
  double high = 1;
};

class HALFLING_API Architecture : public Component {
 public:
  static constexpr const char* kind = "architecture";

  /// The phases of one iteration, in order. Throws Error (usage) where the options do not fit the spec.
  virtual std::vector<Phase> training(const BatchSpec& spec) const = 0;
  /// The noise inputs of all graphs.
  virtual std::vector<Noise> noises() const = 0;
  /// Inputs: the noises and "labels"; output "samples" [N,C,H,W], f32 in [0, 1]. Uses running statistics.
  virtual Graph sampling(const BatchSpec& spec) const = 0;
};

}  // namespace halfling
