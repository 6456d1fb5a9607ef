// SPDX-License-Identifier: Apache-2.0
// A small WGAN with all that a phase can be: three critic steps an iteration, each on a batch and noise of
// its own; a gradient penalty in every step, and R1 in a phase of its own that runs in every fourth iteration
// on the critic's optimizer states; spectral norm, normal noise and random labels in the generator.
#include "halfling/architecture.hpp"

namespace {

using namespace halfling;
using nn::Mode;

constexpr Initial weights{Initial::Kind::normal, 0.1};

class Wgan final : public Architecture {
 public:
  explicit Wgan(const Options& options)
      : repeat_(options.integer("repeat")), every_(options.integer("every")) {}

  std::vector<Noise> noises() const override {
    return {Noise::normal("z"), Noise::classes("y"), Noise::uniform("mix", 0, 1)};
  }

  std::vector<Phase> training(const BatchSpec& spec) const override {
    std::vector<Phase> phases;
    phases.push_back(critic_phase(spec));
    phases.push_back(penalty_phase(spec));
    phases.push_back(generator_phase(spec));
    return phases;
  }

  Graph sampling(const BatchSpec& spec) const override {
    Graph graph;
    const Value images = generator(graph, spec, labels_input(graph, spec), Mode::inference);
    graph.output("samples", unit_images(images, spec));
    return graph;
  }

 private:
  Phase critic_phase(const BatchSpec& spec) const {
    Phase phase{.name = "critic", .repeat = repeat_};
    Graph& graph = phase.graph;
    const Value real = images_input(graph, spec);
    const Value fake = detach(generator(graph, spec, labels_input(graph, spec, "y"), Mode::training));
    const Value mix = broadcast(noise_input(graph, "mix", {spec.batch, 1, 1, 1}), real.shape());
    const Value between = fake + mix * (real - fake);
    const Value g = gradient_of(critic(between), between);
    const Scope scope(graph, "d.loss");
    const Value off = sqrt(sum(g * g, 0b1110)) + -1.0;
    phase.operations = {{"d", mean(critic(fake)) - mean(critic(real)) + 10.0 * mean(off * off), {"d."}}};
    return phase;
  }

  Phase penalty_phase(const BatchSpec& spec) const {
    Phase phase{.name = "R1", .every = every_};
    const Value real = images_input(phase.graph, spec), g = gradient_of(critic(real), real);
    phase.operations = {{"r1", 0.5 * static_cast<double>(every_) * mean(sum(g * g, 0b1110)), {"d."}, "d"}};
    return phase;
  }

  Phase generator_phase(const BatchSpec& spec) const {
    Phase phase{.name = "generator"};
    Graph& graph = phase.graph;
    const Value fake = generator(graph, spec, labels_input(graph, spec, "y"), Mode::training);
    phase.operations = {{"g", -1.0 * mean(critic(fake)), {"g."}}};
    return phase;
  }

  static Value generator(Graph& graph, const BatchSpec& spec, Value y, Mode mode) {
    const Value h = concat({noise_input(graph, "z", {spec.batch, 4}), one_hot(y, spec.classes)}, 1);
    const Value w = nn::parameter(graph, "g.fc.weight", {16, h.shape()[1]}, weights);
    const Value middle =
        nn::batch_norm(matmul(h, nn::spectral_norm(w, "g.fc.norm", mode), false, true), "g.bn", {}, mode);
    const Value images = nn::linear(relu(middle), "g.out", spec.image.elements());
    return image_output(reshape(images, {spec.batch, spec.image[0], spec.image[1], spec.image[2]}), spec);
  }

  static Value critic(Value x) {
    const Value h = leaky_relu(nn::conv2d(x, "d.conv", 4, 4, 2, 1, weights), 0.2);
    return nn::linear(reshape(h, {h.shape()[0], h.shape().elements() / h.shape()[0]}), "d.fc", 1);
  }

  std::int64_t repeat_, every_;
};

constexpr OptionDeclaration options[] = {
    {"repeat", OptionType::integer, "", "3", "critic steps an iteration", 1, 100},
    {"every", OptionType::integer, "", "4", "iterations between two of R1", 1, 100},
};

}  // namespace

HALFLING_PLUGIN(Wgan, "wgan", "1.0.0", "repeated and lazy phases, penalties, spectral norm", options)
