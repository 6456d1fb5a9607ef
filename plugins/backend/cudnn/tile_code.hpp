// SPDX-License-Identifier: Apache-2.0
// A tile program as the device's instructions.
#pragma once

#include <vector>

#include "program/tile_program.hpp"
#include "tile_kernels.hpp"

namespace halfling::cudnn {

struct TileCode {
  std::vector<TileInstruction> instructions;
  std::vector<TileView> views;
  std::vector<TileResult> results;  ///< without the places of their partial sums
  int registers = 0;
  int accumulators = 0;  ///< the last ones of the registers
};

/// Loads become operands of what reads them, results go from instruction to instruction in the accumulator
/// where they can, and are rounded, stored and added up by the instruction that makes them.
TileCode assemble(const program::TileProgram& program);

}  // namespace halfling::cudnn
