// SPDX-License-Identifier: Apache-2.0
// One pass over parameter, moments and gradient. Bound by memory: 28 bytes an element in f32.
#include <cmath>

#include "step.hpp"

namespace halfling::cpu {
namespace {

class AdamStep final : public Step {
 public:
  AdamStep(const StepContext& context, const Item& item)
      : team_(context.team), update_(adam_of(context, item)) {
    const AdamAttributes& a = update_.attributes;
    arguments_.parameter = update_.parameter;
    arguments_.mean = update_.mean;
    arguments_.variance = update_.variance;
    arguments_.gradient = update_.gradient;
    arguments_.gradient_type = update_.gradient_type;
    arguments_.half = update_.half;
    arguments_.half_type = update_.half_type;
    arguments_.beta1 = static_cast<float>(a.beta1);
    arguments_.rest1 = static_cast<float>(1 - a.beta1);
    arguments_.rest2 = static_cast<float>(1 - a.beta2);
    arguments_.beta2 = static_cast<float>(a.beta2);
    arguments_.epsilon = static_cast<float>(a.epsilon);
  }
  std::string implementation() const override { return std::string("adam:") + kernels().name; }

  void run() override {
    if (*update_.skip != 0) return copy_half();
    const AdamAttributes& a = update_.attributes;
    const std::int32_t step = *update_.step;
    arguments_.scale = *update_.inverse_scale;
    arguments_.rate = static_cast<float>(*update_.learning_rate / (1 - std::pow(a.beta1, step)));
    arguments_.correction = static_cast<float>(1 / std::sqrt(1 - std::pow(a.beta2, step)));
    team_.split(update_.elements, 1,
                [&](Range range) { kernels().adam(arguments_, range.begin, range.end); });
  }

 private:
  void copy_half() const {
    if (arguments_.half == nullptr) return;
    team_.split(update_.elements, 1, [&](Range range) {
      kernels().store(arguments_.half_type, arguments_.parameter + range.begin,
                      static_cast<std::uint16_t*>(arguments_.half) + range.begin, range.end - range.begin);
    });
  }

  const Team& team_;
  AdamUpdate update_;
  AdamArguments arguments_{};
};

}  // namespace

StepPointer make_adam_step(const StepContext& context, const Item& item) {
  return std::make_unique<AdamStep>(context, item);
}

}  // namespace halfling::cpu
