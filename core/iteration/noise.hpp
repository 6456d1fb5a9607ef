// SPDX-License-Identifier: Apache-2.0
// Noise of an architecture: on the device in every iteration, on the host for a grid that is drawn again and
// again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "halfling/architecture.hpp"

namespace halfling {

/// Appends the op that draws it from a counter (random.hpp), as the stream of this name. `classes`: what
/// labels are drawn of.
Value draw_noise(Graph& graph, ValueId counter, const Noise& noise, std::string_view stream,
                 const Shape& shape, std::int64_t classes);

/// The same numbers on the host, of iteration 0 of a run with this seed, as the bytes of an input.
std::vector<std::byte> fixed_noise(const Noise& noise, const Shape& shape, std::int64_t classes,
                                   std::uint64_t seed);

/// As fixed_noise, on the way from its first sample to the first one of the next seed: sample i stands at
/// (i mod steps) / (steps - 1), steps at least 2. Uniform noise goes straight, normal noise along a great
/// circle, so that it keeps its length (White 2016, "Sampling generative networks"); labels stay those of the
/// first.
std::vector<std::byte> interpolated_noise(const Noise& noise, const Shape& shape, std::int64_t classes,
                                          std::uint64_t seed, std::int64_t steps);

}  // namespace halfling
