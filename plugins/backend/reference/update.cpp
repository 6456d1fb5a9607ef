// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "halfling/schedule.hpp"
#include "kernel.hpp"

namespace halfling::reference {

void count(const Call& call) {
  call.set(0, call.in(0).elements[0] + (call.in(1).elements[0] != 0 ? 0 : 1));
}

void schedule(const Call& call) {
  call.set(0, scheduled_rate(call.attributes<ScheduleAttributes>(),
                             static_cast<std::int64_t>(call.in(0).elements[0])));
}

void adam(const Call& call) {
  const auto& options = call.attributes<AdamAttributes>();
  const auto operand = [&](AdamOperand::Index index, std::size_t i = 0) {
    return call.in(index).elements[i];
  };
  using enum AdamOperand::Index;
  const double correction1 = 1 - std::pow(options.beta1, operand(step));
  const double correction2 = 1 - std::pow(options.beta2, operand(step));
  for (std::size_t i = 0; i < call.out().elements.size(); ++i) {
    double p = operand(parameter, i), m = operand(mean, i), v = operand(variance, i);
    if (operand(skip) == 0) {
      const double g = operand(inverse_scale) * operand(gradient, i);
      m = options.beta1 * m + (1 - options.beta1) * g;
      v = options.beta2 * v + (1 - options.beta2) * g * g;
      p -= operand(learning_rate) * (m / correction1) / (std::sqrt(v / correction2) + options.epsilon);
    }
    call.set(i, p, parameter);
    call.set(i, m, mean);
    call.set(i, v, variance);
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
