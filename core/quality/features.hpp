// SPDX-License-Identifier: Apache-2.0
// What an extractor makes of images: a row of features each, and the class that it sees in them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "halfling/shape.hpp"

namespace halfling::quality {

/// `count` rows of `width` numbers, one after the other.
struct Features {
  std::int64_t count = 0, width = 0;
  std::vector<double> values{};
};

/// Images of one shape, as a data set gives them: N·C·H·W bytes.
struct Images {
  Shape image{};                       ///< {C, H, W}
  std::vector<std::uint8_t> pixels{};  ///< of all images
  std::vector<std::int32_t> labels{};  ///< the class that each is of, or was asked for
  std::int64_t count() const { return static_cast<std::int64_t>(labels.size()); }
};

struct Extracted {
  Features features{};
  /// The class that each image is taken for; empty where the extractor knows no classes.
  std::vector<std::int32_t> classes{};
};

/// Looks at images. Figures of two extractors say nothing together, so each has a name.
class Extractor {
 public:
  virtual ~Extractor() = default;
  /// Tells it from every other one, and from itself with other weights.
  virtual std::string name() const = 0;
  virtual Extracted extract(const Images& images) = 0;
};

}  // namespace halfling::quality
