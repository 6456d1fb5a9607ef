// SPDX-License-Identifier: Apache-2.0
// What runs: a flat list of steps with everything decided and every address known.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "kernels.hpp"
#include "program/fusion.hpp"
#include "program/program.hpp"
#include "team.hpp"

namespace halfling::cpu {

class Step {
 public:
  virtual ~Step() = default;
  virtual void run() = 0;
  /// Bytes of scratch that it needs while it runs; given by use_scratch before the first run.
  virtual std::size_t scratch_bytes() const { return 0; }
  virtual void use_scratch(std::byte* scratch) { (void)scratch; }
  /// For profiles: "brgconv:avx512_core".
  virtual std::string implementation() const = 0;
};

/// What steps are made from.
struct StepContext {
  const Graph& graph;
  const Program& program;
  const Team& team;
  std::vector<std::byte*> addresses;  ///< by place
  bool emulate = false;               ///< compute half formats in f32 even where they are native

  std::byte* address(Ref ref) const { return addresses[static_cast<std::size_t>(program.place(ref))]; }
  template <class T>
  T* as(Ref ref) const {
    return reinterpret_cast<T*>(address(ref));
  }
};

using StepPointer = std::unique_ptr<Step>;
StepPointer make_tile_step(const StepContext& context, const Cluster& cluster);
StepPointer make_contraction_step(const StepContext& context, const Item& item);
StepPointer make_adam_step(const StepContext& context, const Item& item);
StepPointer make_random_step(const StepContext& context, const Item& item);
StepPointer make_reduction_step(const StepContext& context, const Item& item);
StepPointer make_loss_step(const StepContext& context, const Item& item);
StepPointer make_shape_step(const StepContext& context, const Item& item);

}  // namespace halfling::cpu
