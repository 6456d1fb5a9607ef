// SPDX-License-Identifier: Apache-2.0
// Plugin kind "architecture": builds the networks and losses of a GAN, or of a classifier. It knows nothing
// of gradients, number formats, optimizers or backends.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "halfling/nn.hpp"
#include "halfling/plugin.hpp"
#include "halfling/value_range.hpp"

namespace halfling {

/// What an architecture builds for.
struct BatchSpec {
  std::int64_t batch = 0;
  Shape image;  ///< {C, H, W}
  std::int64_t classes = 0;
  ValueRange values = {};  ///< of images, real and generated; images_input and image_output see to it
};

/// A loss, and the parameters that it updates.
struct TrainingOperation {
  std::string name;                  ///< "d"
  ValueId loss = no_value;           ///< scalar
  std::vector<std::string> updates;  ///< prefixes of parameter names: {"d.", "c.", "g."}
  /// The operation whose optimizer, moments and step count it shares; its own where empty. For a penalty in a
  /// phase of its own: Adam's steps do not depend on the size of a loss that it sees alone.
  std::string shares = {};
};

/// Training operations whose gradients come from one forward pass, all taken before the first update.
///
/// An iteration reads as many batches as its most repeated phase runs; a phase that runs less often reads the
/// last of them. With 5 critic steps and one generator step, the generator's phase sees the fifth batch, and
/// of a noise that both name the fifth; noise under a name of its own is drawn for it alone.
struct Phase {
  std::string name;
  Graph graph = {};  ///< forward only
  std::vector<TrainingOperation> operations = {};
  std::int64_t repeat =
      1;  ///< runs in an iteration, one after the other, each on a batch and noise of its own
  std::int64_t every = 1;  ///< it runs in iterations 0, every, 2 every, ... alone; one phase at least has 1
};

// Inputs that a graph may declare by these functions; each is the same value in every phase that reads the
// batch.
/// [N,C,H,W], f32 in spec.values.
HALFLING_API Value images_input(Graph& graph, const BatchSpec& spec);
/// Generated images in spec.values, of a generator's last layer, [N,C,H,W]: its sigmoid, stretched to them,
/// which is tanh(x / 2) for [-1, 1].
HALFLING_API Value image_output(Value x, const BatchSpec& spec);
/// Images in spec.values, [N,C,H,W], as [0, 1]: "samples" of `sampling`.
HALFLING_API Value unit_images(Value images, const BatchSpec& spec);
/// i32 [N]: of the batch, or under the name of a Noise::classes, drawn at random.
HALFLING_API Value labels_input(Graph& graph, const BatchSpec& spec, const std::string& name = "labels");
/// f32 of any shape, drawn anew for each batch as the Noise of this name says.
HALFLING_API Value noise_input(Graph& graph, const std::string& name, Shape shape);

/// How a noise input is drawn, on the device. Noise that depends on a class is made of one that does not:
///   const Value y = one_hot(labels_input(graph, spec), spec.classes);                     // [N,K]
///   const Value z = matmul(y, means) + noise_input(graph, "z", {spec.batch, length});     // means
///   [K,length]
struct Noise {
  enum class Kind : std::uint8_t { uniform, normal, classes };
  std::string name;
  double low = -1;  ///< uniform: of [low, high); normal: the mean
  double high = 1;  ///< uniform: of [low, high); normal: the standard deviation
  Kind kind = Kind::uniform;

  static Noise uniform(std::string name, double low, double high) {
    return {std::move(name), low, high, Kind::uniform};
  }
  static Noise normal(std::string name, double mean = 0, double deviation = 1) {
    return {std::move(name), mean, deviation, Kind::normal};
  }
  /// Labels for the generator, i32 [N]: each class as likely for each sample.
  static Noise classes(std::string name) { return {std::move(name), 0, 0, Kind::classes}; }
  DType dtype() const { return kind == Kind::classes ? DType::i32 : DType::f32; }
};

class HALFLING_API Architecture : public Component {
 public:
  static constexpr const char* kind = "architecture";

  /// The phases of one iteration, in order. Throws Error (usage) where the options do not fit the spec.
  virtual std::vector<Phase> training(const BatchSpec& spec) const = 0;
  /// The noise inputs of all graphs.
  virtual std::vector<Noise> noises() const = 0;
  /// Inputs: the noises and "labels", which are the classes of a grid's columns; output "samples" [N,C,H,W],
  /// f32 in [0, 1]. Uses running statistics. An empty graph: there is no generator, and nothing is drawn.
  virtual Graph sampling(const BatchSpec& spec) const = 0;
  /// Of an architecture whose purpose is to classify; else, as here, an empty graph. Input: the images;
  /// outputs "features" [N,F] and "logits" [N,K], K being the number of classes. Uses running statistics.
  virtual Graph classification(const BatchSpec& spec) const { return (void)spec, Graph(); }
};

}  // namespace halfling
