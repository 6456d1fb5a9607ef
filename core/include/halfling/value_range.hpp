// SPDX-License-Identifier: Apache-2.0
// What the bytes of a sample stand for in the networks.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace halfling {

/// Byte b of channel c is low[c] + (high[c] - low[c]) · b / 255. Finite, low < high.
struct ValueRange {
  std::vector<double> low{0}, high{1};  ///< one for all channels, or one for each
  bool operator==(const ValueRange&) const = default;
};

/// Whether it can be one of samples of so many channels.
inline bool is_range(const ValueRange& values, std::int64_t channels) {
  const std::size_t count = values.low.size();
  bool good = values.high.size() == count && (count == 1 || static_cast<std::int64_t>(count) == channels);
  for (std::size_t c = 0; good && c < count; ++c)
    good = std::isfinite(values.low[c]) && std::isfinite(values.high[c]) && values.low[c] < values.high[c];
  return good;
}

}  // namespace halfling
