// SPDX-License-Identifier: Apache-2.0
// Which phases run in which iteration, and how often: a function of the iteration's number alone, so that a
// run that is resumed goes on as if nothing had happened.
#pragma once

#include <cstdint>
#include <vector>

#include "halfling/architecture.hpp"

namespace halfling {

/// How often a phase, and with it its training operations, runs.
struct Rhythm {
  std::int64_t repeat = 1;  ///< times in an iteration in which it runs
  std::int64_t every = 1;   ///< it runs in iterations 0, every, 2 every, ...
  bool runs_in(std::int64_t iteration) const { return iteration % every == 0; }
  /// Runs in the first `iterations` iterations.
  std::int64_t runs(std::int64_t iterations) const { return repeat * ((iterations + every - 1) / every); }
};

/// The variants of an iteration: those that differ in the phases that run. Variant 0 is that of iteration 0,
/// in which every phase runs, so it has every state and operation that the others have.
class Cycle {
 public:
  /// Throws Error (usage) where the iterations repeat themselves only after more than 2^20.
  explicit Cycle(const std::vector<Phase>& phases);

  std::size_t variants() const { return variants_.size(); }
  std::size_t variant_of(std::int64_t iteration) const;
  bool runs(std::size_t variant, std::size_t phase) const { return variants_[variant].phases[phase]; }
  /// Of all iterations, those of the variant.
  double share_of(std::size_t variant) const { return variants_[variant].share; }
  /// Batches that an iteration reads: as many as the phase that is repeated most runs.
  std::int64_t batches() const { return batches_; }

 private:
  struct Variant {
    std::vector<bool> phases;  ///< by phase: whether it runs
    double share = 0;
  };
  std::vector<bool> phases_of(std::int64_t iteration) const;

  std::vector<Rhythm> rhythms_;  ///< by phase
  std::vector<Variant> variants_;
  std::int64_t batches_ = 1;
};

}  // namespace halfling
