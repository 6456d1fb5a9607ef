// SPDX-License-Identifier: Apache-2.0
// How a run's images became what they are: the first row of some of its grids, one below the other.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "halfling/image.hpp"
#include "run/run_record.hpp"

namespace halfling {

struct Strip {
  Image image;
  std::vector<std::int64_t> iterations;  ///< of its rows, from the top
};

/// The first grid, the newest one and at most four evenly between them; nullopt where a run has fewer than
/// three grids, or they cannot be read or are not all laid out alike.
std::optional<Strip> strip_of(const RunRecord& run);

}  // namespace halfling
