// SPDX-License-Identifier: Apache-2.0
// When a run ends, and when it does something besides training.
#pragma once

#include <cstdint>
#include <optional>

#include "experiment/experiment.hpp"

namespace halfling {

/// A budget in the two units that a loop can check. Seconds are seconds of training: iterations with their
/// input, without set-up, image grids and checkpoints, so that every precision gets the same.
struct Limits {
  std::optional<std::int64_t> iterations;
  std::optional<double> seconds;

  bool reached(std::int64_t iteration, double elapsed) const;
  /// So much of it, iterations rounded up.
  Limits part(std::size_t block, std::size_t blocks) const;
  /// Share of the seconds; nullopt without.
  std::optional<double> time_used(double elapsed) const;
  /// Seconds to go at the pace so far; nullopt where nothing is known yet.
  std::optional<double> left(std::int64_t iteration, double elapsed, double seconds_per_iteration) const;
};

/// Epochs and samples as whole iterations (a last, incomplete one counts as one more); the least of all.
Limits limits_of(const Budget& budget, std::int64_t samples_per_iteration, std::int64_t iterations_per_epoch);

/// Answers, once per iteration, whether an interval has passed.
class Every {
 public:
  /// Counts from this moment of training; iterations count from 0 of the run.
  explicit Every(Interval interval, double elapsed = 0);
  bool due(std::int64_t iteration, double elapsed);
  /// What due would answer; asks as often as one likes.
  bool would_be_due(std::int64_t iteration, double elapsed) const;

 private:
  Interval interval_;
  double next_;
};

}  // namespace halfling
