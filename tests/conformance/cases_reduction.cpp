// SPDX-License-Identifier: Apache-2.0
// Sums of small whole numbers: exact.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "case.hpp"

namespace halfling::conformance {
namespace {

Case sum_case(const char* name, Shape shape, unsigned mask) {
  return {.name = fmt::format("sum/{}", name),
          .build =
              [shape, mask](Builder& b) {
                const Value x = b.input("x", shape);
                b.check("y", sum(x, mask), {x});
              },
          .order = 2};
}

Case finite_case(const char* name, Fill first, Fill last, bool found) {
  return {.name = fmt::format("any_nonfinite/{}", name),
          .build =
              [first, last](Builder& b) {
                const Value x = b.input("a", {3, 5}, first);
                const Value y = b.input("b", {7}, integers(3));
                const Value z = b.input("c", {1, 3, 1, 3}, last);
                b.check("found", any_nonfinite(b.graph, {x, y, z}));
              },
          .zeros = !found};
}

/// 2^e and its neighbours for every exponent of f32, with zeros and what is not finite. Formats with fewer
/// exponents turn some of them into zeros and infinities.
Fill every_exponent() {
  std::vector<double> values{0.0, -0.0, std::numeric_limits<double>::infinity(),
                             std::numeric_limits<double>::quiet_NaN()};
  for (int e = least_exponent; e <= greatest_exponent; ++e) {
    values.push_back(std::ldexp(1, e));
    values.push_back(std::ldexp(-1.9375, e));
    values.push_back(std::ldexp(1.5, e));
  }
  return list(values);
}

Case histogram_case(const char* name, Shape shape, const Fill& fill) {
  return {.name = fmt::format("exponent_histogram/{}", name), .build = [shape, fill](Builder& b) {
            b.check("counts", exponent_histogram(b.input("x", shape, fill)));
          }};
}

}  // namespace

std::vector<Case> reduction_cases() {
  const double inf = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Fill finite = integers(3);
  return {
      sum_case("channels", {3, 5, 4, 7}, 0b1101),
      sum_case("channels-blocked", {2, 32, 4, 4}, 0b1101),
      sum_case("rows", {6, 17}, 0b01),
      sum_case("columns", {6, 17}, 0b10),
      sum_case("last-axis", {2, 3, 4, 5}, 0b1000),
      sum_case("middle-axes", {2, 3, 4, 5}, 0b0110),
      sum_case("pixels", {2, 37, 4, 7}, 0b1100),
      sum_case("everything", {3, 5, 4, 7}, 0b1111),
      sum_case("no-axis", {3, 5}, 0),
      sum_case("long", {10007}, 0b1),
      sum_case("long-rows", {3001, 2}, 0b01),
      {.name = "sum/beyond-a-half-accumulator",
       .build = [](Builder& b) { b.check("y", sum(b.input("x", {3000}), 0b1)); },
       .fill = list({1})},
      // The mean multiplies by a rounded 1/n.
      {.name = "sum/mean",
       .build =
           [](Builder& b) {
             const Value x = b.input("x", {2, 3, 5, 7});
             b.check("y", mean(x), {x});
           },
       .fill = reals(0, 1),
       .tolerance = {.ulps = 2, .epsilons = 1, .storage = 1},
       .order = 1},
      histogram_case("every-exponent", {835}, every_exponent()),
      histogram_case("scalar", {}, list({-0.75})),
      histogram_case("images", {3, 5, 4, 7}, integers(3)),
      histogram_case("several-threads", {3, 70001}, every_exponent()),
      {.name = "exponent_histogram/of-a-result",
       .build =
           [](Builder& b) {
             const Value x = b.input("x", {4, 3, 5, 5});
             b.check("counts", exponent_histogram(relu(x * x + x)));
             b.output("y", relu(x * x + x));
           }},
      finite_case("none", finite, finite, false),
      finite_case("nan", list({1, 2, 3, 4, 5, 6, nan}), finite, true),
      finite_case("nan-at-the-end", finite, list({1, 2, 3, 4, 5, 6, 7, 8, nan}), true),
      finite_case("infinity", finite, list({1, inf}), true),
      finite_case("negative-infinity", list({-inf}), finite, true),
      finite_case("largest-finite", list({65504, -65504}), finite, false),
  };
}

}  // namespace halfling::conformance
