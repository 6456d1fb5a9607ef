// SPDX-License-Identifier: Apache-2.0
#include "drawn_shapes.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace halfling {

namespace {

constexpr double thickness = 0.26;  // half the width of strokes

double box(double x, double y, double half_width, double half_height) {
  return std::max(std::abs(x) - half_width, std::abs(y) - half_height);
}

double circle(double x, double y) {
  return std::hypot(x, y) - 0.95;
}
double square(double x, double y) {
  return box(x, y, 0.85, 0.85);
}

double triangle(double x, double y) {
  const double side = (2 * std::abs(x) - y - 0.95) / std::sqrt(5.0);  // from (0, -0.95) to (±0.9, 0.85)
  return std::max(side, y - 0.85);
}

double cross(double x, double y) {
  return std::min(box(x, y, 1, thickness), box(x, y, thickness, 1));
}

double ring(double x, double y) {
  return std::abs(std::hypot(x, y) - 0.72) - thickness;
}
double diamond(double x, double y) {
  return (std::abs(x) + std::abs(y) - 1) / std::numbers::sqrt2;
}
double frame(double x, double y) {
  return std::abs(box(x, y, 0.68, 0.68)) - thickness * 0.8;
}
double bar(double x, double y) {
  return box(x, y, 1, 0.4);
}

double saltire(double x, double y) {
  const double u = (x + y) / std::numbers::sqrt2, v = (x - y) / std::numbers::sqrt2;
  return std::min(box(u, v, 1.15, thickness), box(u, v, thickness, 1.15));
}

double crescent(double x, double y) {
  return std::max(std::hypot(x, y) - 0.95, 0.75 - std::hypot(x - 0.5, y));
}

}  // namespace

const std::array<DrawnShape, 10> drawn_shapes{{{"circle", circle},
                                               {"square", square},
                                               {"triangle", triangle},
                                               {"cross", cross},
                                               {"ring", ring},
                                               {"diamond", diamond},
                                               {"frame", frame},
                                               {"bar", bar},
                                               {"saltire", saltire},
                                               {"crescent", crescent}}};

}  // namespace halfling
