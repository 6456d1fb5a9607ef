// SPDX-License-Identifier: Apache-2.0
// Bound by memory: 28 bytes an element in f32.
#include "adam_kernels.hpp"
#include "part_list.hpp"
#include "step.hpp"

namespace halfling::cudnn {
namespace {

std::vector<AdamTensor> tensors_of(const StepContext& context, const std::vector<const Item*>& items) {
  std::vector<AdamTensor> tensors;
  for (const Item* item : items) {
    const AdamUpdate update = adam_of(context, *item);
    tensors.push_back({.parameter = update.parameter,
                       .mean = update.mean,
                       .variance = update.variance,
                       .gradient = update.gradient,
                       .half = update.half,
                       .gradient_type = update.gradient_type,
                       .half_type = update.half_type,
                       .elements = update.elements});
  }
  return tensors;
}

class AdamStep final : public Step {
 public:
  AdamStep(const StepContext& context, const std::vector<const Item*>& items)
      : parts_(tensors_of(context, items)) {
    const AdamUpdate shared = adam_of(context, *items.front());
    group_ = {.tensors = parts_.tensors(),
              .count = parts_.count(),
              .step = shared.step,
              .inverse_scale = shared.inverse_scale,
              .skip = shared.skip,
              .learning_rate = shared.learning_rate,
              .beta1 = shared.attributes.beta1,
              .beta2 = shared.attributes.beta2,
              .epsilon = shared.attributes.epsilon};
  }
  std::string implementation() const override { return "adam"; }
  std::size_t device_bytes() const override { return parts_.device_bytes(); }
  void run(cudaStream_t stream) override { launch_adam(stream, group_, parts_.blocks()); }

 private:
  PartList<AdamTensor> parts_;
  AdamGroup group_{};
};

}  // namespace

StepPointer make_adam_step(const StepContext& context, const std::vector<const Item*>& items) {
  return std::make_unique<AdamStep>(context, items);
}

}  // namespace halfling::cudnn
