// SPDX-License-Identifier: Apache-2.0
// What the bytes of a sample stand for in the networks.
#pragma once

#include <vector>

namespace halfling {

/// Byte b of channel c is low[c] + (high[c] - low[c]) · b / 255. Finite, low < high.
struct ValueRange {
  std::vector<double> low{0}, high{1};  ///< one for all channels, or one for each
  bool operator==(const ValueRange&) const = default;
};

}  // namespace halfling
