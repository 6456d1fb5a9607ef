// SPDX-License-Identifier: Apache-2.0
// How the emulated libraries compute: in double, rounding once to the result's format, unless they were
// asked, or allowed, to do worse.
#pragma once

#include <cstdint>
#include <vector>

#include "halfling/dtype.hpp"

namespace emulation {

using halfling::DType;

/// What happens to operands before they are multiplied.
enum class Operands {
  exact,
  tf32,  ///< rounded to a fraction of 10 bits
  f16,
};

/// `count` numbers of a format, as the multipliers see them.
std::vector<float> load(DType type, const void* source, std::int64_t count, Operands operands);
float load_one(DType type, const void* source, std::int64_t index);
/// Rounds once.
void store_one(DType type, void* target, std::int64_t index, double value);

float round_to_tf32(float value);

}  // namespace emulation
