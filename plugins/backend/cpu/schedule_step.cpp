// SPDX-License-Identifier: Apache-2.0
#include "halfling/schedule.hpp"
#include "step.hpp"

namespace halfling::cpu {
namespace {

class ScheduleStep final : public Step {
 public:
  ScheduleStep(const StepContext& context, const Item& item) : rate_(scheduled_of(context, item)) {}
  std::string implementation() const override { return "schedule"; }
  void run() override { *rate_.to = static_cast<float>(scheduled_rate(rate_.attributes, *rate_.step)); }

 private:
  Scheduled rate_;
};

}  // namespace

StepPointer make_schedule_step(const StepContext& context, const Item& item) {
  return std::make_unique<ScheduleStep>(context, item);
}

}  // namespace halfling::cpu
