// SPDX-License-Identifier: Apache-2.0
// Stochastic gradient descent: v' = momentum v + g, p' = p - learning_rate v' (PyTorch's form, no dampening).
#include "halfling/optimizer.hpp"

namespace {

using halfling::Value;

class Sgd : public halfling::Optimizer {
 public:
  explicit Sgd(const halfling::Options& options)
      : learning_rate_(options.number("learning_rate")), momentum_(options.number("momentum")) {}

  double learning_rate() const override { return learning_rate_; }

  Value update(const halfling::ParameterUpdate& u) const override {
    Value direction = u.gradient();
    if (momentum_ != 0) {
      halfling::Graph& graph = *u.parameter.graph;
      const std::string name = u.prefix + ".velocity";
      const Value velocity = state(graph, {.name = name,
                                           .dtype = u.parameter.dtype(),
                                           .shape = u.parameter.shape(),
                                           .initial = {},
                                           .role = halfling::StateRole::optimizer});
      direction = momentum_ * velocity + direction;
      graph.assign(name, select(u.skip, velocity, direction));
    }
    return select(u.skip, u.parameter, u.parameter - u.step_size() * direction);
  }

 private:
  double learning_rate_, momentum_;
};

using enum halfling::OptionType;
constexpr halfling::OptionDeclaration options[] = {
    {"learning_rate", number, "", "1e-2", "step size", 0, 100},
    {"momentum", number, "", "0", "decay of the velocity; 0 keeps none", 0, 0.999999},
};

}  // namespace

HALFLING_PLUGIN(Sgd, "sgd", HALFLING_VERSION, "stochastic gradient descent with momentum", options)
