// SPDX-License-Identifier: Apache-2.0
// Features as Eigen sees them: a column for each sample.
#pragma once

#include <Eigen/Core>

#include "quality/features.hpp"

namespace halfling::quality {

using Columns = Eigen::Map<const Eigen::MatrixXd>;

inline Columns columns(const Features& set) {
  return {set.values.data(), set.width, set.count};
}

/// Throws Error unless both are finite and as wide, and have at least `fewest` samples.
void check_comparable(const Features& a, const Features& b, std::int64_t fewest);

}  // namespace halfling::quality
