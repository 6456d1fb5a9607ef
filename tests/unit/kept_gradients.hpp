// SPDX-License-Identifier: Apache-2.0
// A training whose parameters stay as they are, and whose gradients can be read.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "training.hpp"

namespace halfling::test {

/// Leaves the parameter alone and keeps its gradient, without the loss scale, in "<prefix>.gradient".
class KeepsGradients : public Optimizer {
 public:
  double learning_rate() const override { return 0; }
  Value update(const ParameterUpdate& u) const override {
    Graph& graph = *u.parameter.graph;
    const std::string name = u.prefix + ".gradient";
    state(graph, {.name = name,
                  .dtype = u.parameter.dtype(),
                  .shape = u.parameter.shape(),
                  .initial = {},
                  .role = StateRole::optimizer});
    graph.assign(name, u.gradient());
    return u.parameter;
  }
};

/// How far off, relative to the length of what is expected.
inline double distance(const std::vector<double>& got, const std::vector<double>& expected) {
  double off = 0, length = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    off += (got.at(i) - expected[i]) * (got[i] - expected[i]);
    length += expected[i] * expected[i];
  }
  return std::sqrt(off / length);
}

struct Kept {
  explicit Kept(Setup setup) : training(with_optimizer(std::move(setup))) {}

  static Setup with_optimizer(Setup setup) {
    setup.optimizer = std::make_unique<KeepsGradients>();
    return setup;
  }

  /// Of all parameters of an operation, in order.
  std::vector<double> gradients(const std::string& operation) const {
    return training.states_with_prefix("optimizer." + operation + ".", ".gradient");
  }

  /// In float64: how far some elements of each parameter's gradient are off central differences of the loss,
  /// relative to the greatest element of all.
  double worst_difference(const std::string& operation) {
    training.step();
    double worst = 0, greatest = 0;
    for (const State& info : training.graph().states()) {
      if (info.role != StateRole::parameter) continue;
      const std::vector<double> gradient =
          training.state("optimizer." + operation + "." + info.name + ".gradient");
      for (const double g : gradient) greatest = std::max(greatest, std::abs(g));
      for (std::size_t i = 0; i < gradient.size(); i += 1 + gradient.size() / 5)
        worst = std::max(worst, std::abs(slope(info.name, i, "loss." + operation) - gradient[i]));
    }
    return worst / greatest;
  }

  Training training;

 private:
  double slope(const std::string& parameter, std::size_t element, const std::string& loss) {
    const double h = 1e-5;
    const std::vector<double> before = training.state(parameter);
    const auto at = [&](double offset) {
      std::vector<double> moved = before;
      moved[element] += offset;
      training.write(parameter, moved);
      training.step();
      return training.output(loss);
    };
    const double result = (at(h) - at(-h)) / (2 * h);
    training.write(parameter, before);
    training.step();
    return result;
  }
};

}  // namespace halfling::test
