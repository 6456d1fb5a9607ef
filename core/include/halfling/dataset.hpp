// SPDX-License-Identifier: Apache-2.0
// Plugin kind "dataset": labelled images of one shape. Core owns order, seed, epochs, batching and prefetch.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "halfling/plugin.hpp"
#include "halfling/shape.hpp"

namespace halfling {

class HALFLING_API Dataset : public Component {
 public:
  static constexpr const char* kind = "dataset";

  /// Number of samples, at least 1.
  virtual std::int64_t size() const = 0;
  /// {C, H, W} of one sample.
  virtual Shape sample_shape() const = 0;
  /// Class names; a sample's label is an index into them.
  virtual const std::vector<std::string>& classes() const = 0;
  /// Writes sample `index` (0 <= index < size()) as C·H·W bytes in C, H, W order (0 = black, 255 = white) and
  /// returns its label. Thread-safe: called from several threads at once.
  virtual std::int32_t read(std::int64_t index, std::span<std::uint8_t> pixels) const = 0;
};

}  // namespace halfling
