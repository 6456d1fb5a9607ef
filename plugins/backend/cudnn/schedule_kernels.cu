// SPDX-License-Identifier: Apache-2.0
#include "halfling/schedule.hpp"
#include "launch.hpp"
#include "schedule_kernels.hpp"

namespace halfling::cudnn {
namespace {

struct Schedule {
  program::Scheduled rate;
  HALFLING_DEVICE void operator()(std::int64_t) const {
    *rate.to = static_cast<float>(scheduled_rate(rate.attributes, *rate.step));
  }
};

}  // namespace

void launch_schedule(cudaStream_t stream, const program::Scheduled& rate) {
  launch_elements(stream, 1, Schedule{rate});
}

}  // namespace halfling::cudnn
