// SPDX-License-Identifier: Apache-2.0
// Bound by memory: 28 bytes an element in f32.
#include "adam_kernels.hpp"
#include "part_list.hpp"
#include "step.hpp"

namespace halfling::cudnn {
namespace {

AdamTensor tensor_of(const StepContext& context, const Item& item) {
  const Slot& gradient = context.program.slot(item.in[4]);
  const bool keeps_half = item.out.size() > 3;
  return {.parameter = context.as<float>(item.in[0]),
          .mean = context.as<float>(item.in[1]),
          .variance = context.as<float>(item.in[2]),
          .gradient = context.address(item.in[4]),
          .half = keeps_half ? context.address(item.out[3]) : nullptr,
          .gradient_type = gradient.dtype,
          .half_type = keeps_half ? context.program.slot(item.out[3]).dtype : DType::f32,
          .elements = gradient.shape.elements()};
}

std::vector<AdamTensor> tensors_of(const StepContext& context, const std::vector<const Item*>& items) {
  std::vector<AdamTensor> tensors;
  for (const Item* item : items) tensors.push_back(tensor_of(context, *item));
  return tensors;
}

class AdamStep final : public Step {
 public:
  AdamStep(const StepContext& context, const std::vector<const Item*>& items)
      : parts_(tensors_of(context, items)) {
    const Item& first = *items.front();
    const auto& attributes = std::get<AdamAttributes>(context.graph.node(first.node).attributes);
    group_ = {.tensors = parts_.tensors(),
              .count = parts_.count(),
              .step = context.as<std::int32_t>(first.in[3]),
              .inverse_scale = context.as<float>(first.in[5]),
              .skip = context.as<std::uint8_t>(first.in[6]),
              .learning_rate = attributes.learning_rate,
              .beta1 = attributes.beta1,
              .beta2 = attributes.beta2,
              .epsilon = attributes.epsilon};
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
