// SPDX-License-Identifier: Apache-2.0
// Trials that are compared can take turns, block by block, so that a machine that slows down slows all of
// them. A block is a part of a run: it ends with a checkpoint, from which the next one goes on.
#pragma once

#include <cstdint>
#include <optional>

#include "measure/iteration_times.hpp"

namespace halfling {

/// What a process measured of a run, over its blocks.
struct Measured {
  IterationTimes times;
  Disturbance disturbance;  ///< of the block that was disturbed most
  double setup_s = 0, output_s = 0;
  std::uint64_t peak_bytes = 0;
  std::optional<double> joules;
};

struct Turn {
  std::size_t block = 1, blocks = 1;  ///< ends with the share block/blocks of the budget
  Measured measured;                  ///< by the blocks before, in this process
  bool continues = false;             ///< there was one
};

}  // namespace halfling
