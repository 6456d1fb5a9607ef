// SPDX-License-Identifier: Apache-2.0
// The steps of this backend. One keeps the team that its context names.
#pragma once

#include <memory>

#include "kernels.hpp"
#include "program/fusion.hpp"
#include "program/step.hpp"
#include "program/work.hpp"
#include "team.hpp"

namespace halfling::cpu {

using Step = program::Step<>;

struct StepContext : program::StepContext {
  const Team& team;
  bool emulate = false;  ///< compute half formats in f32 even where they are native
};

using StepPointer = std::unique_ptr<Step>;
StepPointer make_tile_step(const StepContext& context, const Cluster& cluster);
StepPointer make_contraction_step(const StepContext& context, const Item& item);
StepPointer make_adam_step(const StepContext& context, const Item& item);
StepPointer make_schedule_step(const StepContext& context, const Item& item);
StepPointer make_random_step(const StepContext& context, const Item& item);
StepPointer make_reduction_step(const StepContext& context, const Item& item);
StepPointer make_loss_step(const StepContext& context, const Item& item);
StepPointer make_shape_step(const StepContext& context, const Item& item);

}  // namespace halfling::cpu
