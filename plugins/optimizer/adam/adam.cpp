// SPDX-License-Identifier: Apache-2.0
// Adam (Kingma and Ba 2015, Algorithm 1), as one fused node per parameter; the article's settings are the
// defaults.
#include "halfling/optimizer.hpp"

namespace {

using halfling::Value;

class Adam : public halfling::Optimizer {
 public:
  explicit Adam(const halfling::Options& options)
      : learning_rate_(options.number("learning_rate")),
        attributes_{options.number("beta1"), options.number("beta2"), options.number("epsilon")} {}

  double learning_rate() const override { return learning_rate_; }

  Value update(const halfling::ParameterUpdate& u) const override {
    halfling::Graph& graph = *u.parameter.graph;
    const std::string first = u.prefix + ".m", second = u.prefix + ".v";
    const Value m = moment(u, first), v = moment(u, second);
    const halfling::NodeId node =
        graph.append(halfling::Op::adam,
                     {u.parameter, m, v, u.step, u.scaled_gradient, u.inverse_scale, u.skip, u.learning_rate},
                     attributes_);
    const std::vector<halfling::ValueId> results = graph.node(node).results;
    using Operand = halfling::AdamOperand;
    graph.assign(first, results[Operand::mean]);
    graph.assign(second, results[Operand::variance]);
    return {&graph, results[Operand::parameter]};
  }

 private:
  static Value moment(const halfling::ParameterUpdate& u, const std::string& name) {
    return state(*u.parameter.graph, {.name = name,
                                      .dtype = u.parameter.dtype(),
                                      .shape = u.parameter.shape(),
                                      .initial = {},
                                      .role = halfling::StateRole::optimizer});
  }

  double learning_rate_;
  halfling::AdamAttributes attributes_;
};

using enum halfling::OptionType;
constexpr halfling::OptionDeclaration options[] = {
    {"learning_rate", number, "", "2e-4", "step size", 0, 1},
    {"beta1", number, "", "0.5", "decay of the mean of gradients", 0, 0.999999},
    {"beta2", number, "", "0.999", "decay of the mean of squared gradients", 0, 0.99999999},
    {"epsilon", number, "", "1e-8", "added to the root of the second moment", 1e-30, 1},
};

}  // namespace

HALFLING_PLUGIN(Adam, "adam", HALFLING_VERSION, "Adam with bias correction, fused", options)
