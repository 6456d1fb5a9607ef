// SPDX-License-Identifier: Apache-2.0
// How states begin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "halfling/graph.hpp"

namespace halfling {

/// The bytes of a state at the start of training, in its DType, logical layout. What is drawn depends on
/// seed, state name and element index only (random.hpp), so every backend starts from the same values. An
/// average begins as the state that it is of.
std::vector<std::byte> initial_value(const State& state, std::uint64_t seed);

}  // namespace halfling
