// SPDX-License-Identifier: Apache-2.0
#include "schedule_kernels.hpp"
#include "step.hpp"

namespace halfling::cudnn {
namespace {

class ScheduleStep final : public Step {
 public:
  ScheduleStep(const StepContext& context, const Item& item) : rate_(scheduled_of(context, item)) {}
  std::string implementation() const override { return "schedule"; }
  void run(cudaStream_t stream) override { launch_schedule(stream, rate_); }

 private:
  Scheduled rate_;
};

}  // namespace

StepPointer make_schedule_step(const StepContext& context, const Item& item) {
  return std::make_unique<ScheduleStep>(context, item);
}

}  // namespace halfling::cudnn
