// SPDX-License-Identifier: Apache-2.0
#include "random_kernels.hpp"
#include "step.hpp"

namespace halfling::cudnn {
namespace {

class RandomStep final : public Step {
 public:
  RandomStep(const StepContext& context, const Item& item) : random_(random_of(context, item)) {}
  std::string implementation() const override { return "philox"; }
  void run(cudaStream_t stream) override {
    std::visit([&](const auto& random) { launch_random(stream, random); }, random_);
  }

 private:
  Random random_;
};

}  // namespace

StepPointer make_random_step(const StepContext& context, const Item& item) {
  return std::make_unique<RandomStep>(context, item);
}

}  // namespace halfling::cudnn
