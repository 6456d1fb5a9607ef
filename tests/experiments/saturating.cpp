// SPDX-License-Identifier: Apache-2.0
// An architecture whose hidden layer is infinite in fp16 while its loss is not: sigmoid(inf) is 1, and what
// flows back is 0 times infinity.
#include "halfling/architecture.hpp"

namespace {

using namespace halfling;

class Saturating : public Architecture {
 public:
  explicit Saturating(const Options&) {}

  std::vector<Phase> training(const BatchSpec& spec) const override {
    std::vector<Phase> phases(1);
    Graph& graph = phases[0].graph;
    const std::int64_t pixels = spec.image.elements();
    const Value x = reshape(images_input(graph, spec) + 1.0, {spec.batch, pixels});
    const Value score = sigmoid(layer(layer(x, "n.fc1", 4, 60000), "n.fc2", 1, 1));
    phases[0].name = "only";
    phases[0].operations = {{"n", mean(score), {"n."}}};
    return phases;
  }

  std::vector<Noise> noises() const override { return {{"z", 0, 1}}; }

  Graph sampling(const BatchSpec& spec) const override {
    Graph graph;
    graph.output("samples",
                 noise_input(graph, "z", {spec.batch, spec.image[0], spec.image[1], spec.image[2]}));
    return graph;
  }

 private:
  static Value layer(Value x, const std::string& name, std::int64_t out, double weight) {
    const Scope scope(*x.graph, name);
    return matmul(
        x, nn::parameter(*x.graph, name + ".weight", {x.shape()[1], out}, {Initial::Kind::constant, weight}));
  }
};

}  // namespace

HALFLING_PLUGIN(Saturating, "saturating", "1.0.0", "a forward value that is infinite in fp16", no_options)
