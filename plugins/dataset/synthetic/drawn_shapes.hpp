// SPDX-License-Identifier: Apache-2.0
// Ten shapes as signed distances.
#pragma once

#include <array>

namespace halfling {

/// Distance from (x, y) to the figure's edge, negative inside; exact or a good approximation near the edge.
/// The shapes fill about the square from -1 to 1, y downwards.
struct DrawnShape {
  const char* name;
  double (*distance)(double x, double y);
};

extern const std::array<DrawnShape, 10> drawn_shapes;

}  // namespace halfling
