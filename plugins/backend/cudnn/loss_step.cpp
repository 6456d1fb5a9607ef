// SPDX-License-Identifier: Apache-2.0
#include "loss_kernels.hpp"
#include "step.hpp"

namespace halfling::cudnn {
namespace {

class LossStep final : public Step {
 public:
  LossStep(const StepContext& context, const Item& item)
      : labels_(item.in.size() > 1 ? context.as<std::int32_t>(item.in[1]) : nullptr) {
    const Slot& logits = context.program.slot(item.in[0]);
    arguments_ = {.logits = context.address(item.in[0]),
                  .to = context.address(item.out[0]),
                  .dtype = logits.dtype,
                  .rows = logits.shape[0],
                  .classes = logits.shape[1]};
  }
  std::string implementation() const override { return "rows"; }

  void run(cudaStream_t stream) override {
    if (labels_ == nullptr)
      launch_softmax(stream, arguments_);
    else
      launch_softmax_cross_entropy(stream, arguments_, labels_);
  }

 private:
  const std::int32_t* labels_;  ///< nullptr: softmax
  LossArguments arguments_{};
};

}  // namespace

StepPointer make_loss_step(const StepContext& context, const Item& item) {
  return std::make_unique<LossStep>(context, item);
}

}  // namespace halfling::cudnn
