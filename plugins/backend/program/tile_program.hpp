// SPDX-License-Identifier: Apache-2.0
// A tiny program for one fused loop: instructions over tiles that stay in the first-level cache.
#pragma once

#include <vector>

#include "fusion.hpp"

namespace halfling::program {

inline constexpr int no_register = -1;

/// Brings an operand into a register of f32 (or i32 bits), tile by tile or, where it is the same for every
/// tile, once before the loop.
struct TileLoad {
  Access access{};
  int to = no_register;
  DType dtype{};
  const std::byte* from = nullptr;
  float constant = 0;
  bool direct = false;                                  ///< the register is the memory itself
  Shape extents;                                        ///< general: of the squeezed space …
  std::array<std::int64_t, Shape::max_rank> strides{};  ///< … and the operand's element strides in it
};

struct TileCompute {
  TileOp op{};
  int to = no_register, a = no_register, b = no_register, c = no_register;
  std::array<float, 2> parameters{};
  std::byte* direct = nullptr;  ///< computes straight into memory
};

struct TileStore {
  int from = no_register;
  DType dtype{};
  std::byte* to = nullptr;
  bool exact = false;  ///< the register is rounded already
};

struct TileReduction {
  ItemKind kind{};
  int from = no_register;
  DType dtype{};               ///< of the results
  std::byte* results[2] = {};  ///< sum; or mean and variance
  std::int64_t columns = 1;
  std::size_t offset = 0;  ///< of its accumulators in a thread's workspace, in floats
};

struct TileProgram {
  std::int64_t elements = 0;
  std::int64_t columns = 0;  ///< 0: flat
  int registers = 0;
  std::vector<TileLoad> once;  ///< constants, scalars, columns
  std::vector<TileLoad>
      loads;  ///< interleaved with the computations: loads[i] runs before computes[load_at[i]]
  std::vector<std::size_t> load_at;
  std::vector<TileCompute> computes;
  std::vector<TileStore> stores;
  std::vector<TileReduction> reductions;
};

/// `addresses`: where each of the program's places lies.
TileProgram compile_tiles(const Program& program, const std::vector<std::byte*>& addresses,
                          const Cluster& cluster);

}  // namespace halfling::program
