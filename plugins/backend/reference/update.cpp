// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "kernel.hpp"

namespace halfling::reference {

void count(const Call& call) {
  call.set(0, call.in(0).elements[0] + (call.in(1).elements[0] != 0 ? 0 : 1));
}

void adam(const Call& call) {
  const auto& options = call.attributes<AdamAttributes>();
  const double step = call.in(3).elements[0];
  const double inverse_scale = call.in(5).elements[0];
  const bool skip = call.in(6).elements[0] != 0;
  const double correction1 = 1 - std::pow(options.beta1, step);
  const double correction2 = 1 - std::pow(options.beta2, step);
  for (std::size_t i = 0; i < call.out().elements.size(); ++i) {
    double p = call.in(0).elements[i];
    double m = call.in(1).elements[i];
    double v = call.in(2).elements[i];
    if (!skip) {
      const double g = inverse_scale * call.in(4).elements[i];
      m = options.beta1 * m + (1 - options.beta1) * g;
      v = options.beta2 * v + (1 - options.beta2) * g * g;
      p -= options.learning_rate * (m / correction1) / (std::sqrt(v / correction2) + options.epsilon);
    }
    call.set(i, p, 0);
    call.set(i, m, 1);
    call.set(i, v, 2);
  }
}

void moving_average(const Call& call) {
  const auto& [momentum, correction] = call.attributes<MovingAverageAttributes>();
  for (std::size_t i = 0; i < call.out().elements.size(); ++i) {
    const double running = call.in(0).elements[i];
    const double batch = call.in(1).elements[i];
    call.set(i, std::isfinite(batch) ? (1 - momentum) * running + momentum * correction * batch : running);
  }
}

}  // namespace halfling::reference
