// SPDX-License-Identifier: Apache-2.0
// The formula of Op::schedule, the same on every backend. A light header: device code includes it.
//
// The conventions are those of torch.optim.lr_scheduler, with updates made for its epochs, in closed form:
// SequentialLR([LinearLR(start_factor=warmup_factor, total_iters=warmup), S], milestones=[warmup]), where S
// is
//   linear   LinearLR(start_factor=1, end_factor=end_factor, total_iters=length)
//   cosine   CosineAnnealingLR(T_max=length, eta_min=end_factor * rate), but it stays at its end
//   step     StepLR(step_size=every, gamma=factor)
// A warm-up may begin at 0, which LinearLR does not take: so does transformers'
// get_cosine_schedule_with_warmup.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

#include "halfling/op.hpp"

#if defined(__CUDACC__)
#define HALFLING_HOST_DEVICE __host__ __device__
#else
#define HALFLING_HOST_DEVICE
#endif

namespace halfling {

/// What the rate is multiplied by `done` updates after the warm-up.
HALFLING_HOST_DEVICE inline double schedule_factor(const ScheduleAttributes& a, double done) {
  using Kind = ScheduleAttributes::Kind;
  const auto length = static_cast<double>(a.length);
  const double share = done < length ? done / length : 1;
  switch (a.kind) {
    case Kind::constant:
      break;
    case Kind::linear:
      return 1 + (a.end_factor - 1) * share;
    case Kind::cosine:
      return a.end_factor + (1 - a.end_factor) * (1 + std::cos(std::numbers::pi * share)) / 2;
    case Kind::step:
      return std::pow(a.factor, std::floor(done / static_cast<double>(a.every)));
  }
  return 1;
}

/// The learning rate of update number `step`, 1 for the first one; also of 0, where none was made yet.
HALFLING_HOST_DEVICE inline double scheduled_rate(const ScheduleAttributes& a, std::int64_t step) {
  const double before = step > 0 ? static_cast<double>(step - 1) : 0;
  const auto warmup = static_cast<double>(a.warmup);
  if (before < warmup) return a.rate * (a.warmup_factor + (1 - a.warmup_factor) * before / warmup);
  return a.rate * schedule_factor(a, before - warmup);
}

}  // namespace halfling
