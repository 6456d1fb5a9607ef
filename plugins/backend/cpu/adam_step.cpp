// SPDX-License-Identifier: Apache-2.0
// One pass over parameter, moments and gradient. Bound by memory: 28 bytes an element in f32.
#include <cmath>

#include "step.hpp"

namespace halfling::cpu {
namespace {

class AdamStep final : public Step {
 public:
  AdamStep(const StepContext& context, const Item& item)
      : attributes_(std::get<AdamAttributes>(context.graph.node(item.node).attributes)),
        team_(context.team),
        elements_(context.program.slot(item.in[0]).shape.elements()),
        step_(context.as<std::int32_t>(item.in[3])),
        inverse_scale_(context.as<float>(item.in[5])),
        skip_(context.as<std::uint8_t>(item.in[6])) {
    arguments_.parameter = context.as<float>(item.in[0]);
    arguments_.mean = context.as<float>(item.in[1]);
    arguments_.variance = context.as<float>(item.in[2]);
    arguments_.gradient = context.address(item.in[4]);
    arguments_.gradient_type = context.program.slot(item.in[4]).dtype;
    if (item.out.size() > 3) {
      arguments_.half = context.address(item.out[3]);
      arguments_.half_type = context.program.slot(item.out[3]).dtype;
    }
    arguments_.beta1 = static_cast<float>(attributes_.beta1);
    arguments_.rest1 = static_cast<float>(1 - attributes_.beta1);
    arguments_.rest2 = static_cast<float>(1 - attributes_.beta2);
    arguments_.beta2 = static_cast<float>(attributes_.beta2);
    arguments_.epsilon = static_cast<float>(attributes_.epsilon);
  }
  std::string implementation() const override { return std::string("adam:") + kernels().name; }

  void run() override {
    if (*skip_ != 0) return copy_half();
    arguments_.scale = *inverse_scale_;
    arguments_.rate =
        static_cast<float>(attributes_.learning_rate / (1 - std::pow(attributes_.beta1, *step_)));
    arguments_.correction = static_cast<float>(1 / std::sqrt(1 - std::pow(attributes_.beta2, *step_)));
    team_.split(elements_, 1, [&](Range range) { kernels().adam(arguments_, range.begin, range.end); });
  }

 private:
  void copy_half() const {
    if (arguments_.half == nullptr) return;
    team_.split(elements_, 1, [&](Range range) {
      kernels().store(arguments_.half_type, arguments_.parameter + range.begin,
                      static_cast<std::uint16_t*>(arguments_.half) + range.begin, range.end - range.begin);
    });
  }

  AdamAttributes attributes_;
  const Team& team_;
  std::int64_t elements_;
  const std::int32_t* step_;
  const float* inverse_scale_;
  const std::uint8_t* skip_;
  AdamArguments arguments_{};
};

}  // namespace

StepPointer make_adam_step(const StepContext& context, const Item& item) {
  return std::make_unique<AdamStep>(context, item);
}

}  // namespace halfling::cpu
