// SPDX-License-Identifier: Apache-2.0
// RMSprop, which the first Wasserstein GANs were trained with (Arjovsky et al. 2017), in PyTorch's form:
// v' = decay v + (1 - decay) g^2, p' = p - learning_rate g / (sqrt(v') + epsilon).
#include "halfling/optimizer.hpp"

namespace {

using namespace halfling;

class RmsProp final : public Optimizer {
 public:
  explicit RmsProp(const Options& options)
      : learning_rate_(options.number("learning_rate")),
        decay_(options.number("decay")),
        epsilon_(options.number("epsilon")) {}

  double learning_rate() const override { return learning_rate_; }

  // Adds the nodes that update one parameter. u.gradient() has no loss scale in it any more, and
  // u.step_size() is the learning rate after schedules and warm-up. Under u.skip everything stays as it is.
  Value update(const ParameterUpdate& u) const override {
    Graph& graph = *u.parameter.graph;
    const std::string name = u.prefix + ".mean_square";
    const Value mean_square = state(graph, {.name = name,
                                            .dtype = u.parameter.dtype(),
                                            .shape = u.parameter.shape(),
                                            .initial = {},
                                            .role = StateRole::optimizer});
    const Value g = u.gradient();
    const Value next = decay_ * mean_square + (1 - decay_) * (g * g);
    graph.assign(name, select(u.skip, mean_square, next));
    const Value step = u.step_size() * (g / (sqrt(next) + epsilon_));
    return select(u.skip, u.parameter, u.parameter - step);
  }

 private:
  double learning_rate_, decay_, epsilon_;
};

constexpr OptionDeclaration options[] = {
    {"learning_rate", OptionType::number, "", "5e-5", "step size", 0, 100},
    {"decay", OptionType::number, "", "0.99", "of the mean of squared gradients", 0, 0.999999},
    {"epsilon", OptionType::number, "", "1e-8", "added to the root of that mean", 1e-30, 1},
};

}  // namespace

HALFLING_PLUGIN(RmsProp, "@NAME@", "0.1.0", "RMSprop", options)
