// SPDX-License-Identifier: Apache-2.0
#include "loss_kernels.hpp"
#include "step.hpp"

namespace halfling::cudnn {
namespace {

class SoftmaxStep final : public Step {
 public:
  SoftmaxStep(const StepContext& context, const Item& item) : softmax_(softmax_of(context, item)) {}
  std::string implementation() const override { return "rows"; }
  void run(cudaStream_t stream) override { launch_softmax(stream, softmax_); }

 private:
  Softmax softmax_;
};

}  // namespace

StepPointer make_loss_step(const StepContext& context, const Item& item) {
  return std::make_unique<SoftmaxStep>(context, item);
}

}  // namespace halfling::cudnn
