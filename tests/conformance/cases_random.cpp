// SPDX-License-Identifier: Apache-2.0
// Random numbers: the same on every backend.
#include <fmt/format.h>

#include "case.hpp"

namespace halfling::conformance {
namespace {

/// Draws and advances the counter, so that later runs draw others.
Case drawing(Op op, const char* name, Shape shape, double low, double high, Fill counter,
             Allowance tolerance) {
  return {.name = fmt::format("{}/{}", name_of(op), name),
          .build =
              [=](Builder& b) {
                const Value state = b.state("counter", DType::i32, {4}, counter);
                b.output("first", b.append(op, {state}, RandomAttributes{shape, low, high, 1}));
                b.output("second", b.append(op, {state}, RandomAttributes{shape, low, high, 2}));
                b.graph.assign("counter", b.append(Op::advance_random, {state}));
              },
          .tolerance = tolerance,
          .formats = Formats::once,
          .runs = 3};
}

}  // namespace

std::vector<Case> random_cases() {
  const Fill fresh = list({547, 0, 0, 0});
  const Fill carrying =
      list({-12345, 678, -2, 7});  // the low word of the iteration overflows in the second run
  // A normal number is a logarithm, a root and a sine in double, then one rounding, which may fall either
  // way.
  const Allowance either_way{.ulps = 1, .epsilons = 0.01};
  return {
      drawing(Op::random_uniform, "unit", {3, 7}, 0, 1, fresh, {}),
      drawing(Op::random_uniform, "symmetric", {16, 100}, -1, 1, fresh, {}),
      drawing(Op::random_uniform, "carrying", {5}, -0.3, 0.1, carrying, {}),
      drawing(Op::random_uniform, "images", {2, 3, 5, 7}, 0, 1, fresh, {}),
      // Half of what is drawn rounds up to `high`, which does not belong to the range.
      drawing(Op::random_uniform, "two-numbers", {16, 100}, 0x1p24, 0x1p24 + 4, fresh, {}),
      drawing(Op::random_uniform, "scalar", {}, 0, 1, carrying, {}),
      drawing(Op::random_integer, "classes", {64}, 0, 10, fresh, {}),
      drawing(Op::random_integer, "odd", {7, 3}, -5, 1000000007, carrying, {}),
      drawing(Op::random_integer, "images", {2, 3, 5, 7}, 0, 2, fresh, {}),
      drawing(Op::random_normal, "standard", {16, 100}, 0, 1, fresh, either_way),
      drawing(Op::random_normal, "odd", {7, 3}, 2, 0.02, carrying, either_way),
  };
}

}  // namespace halfling::conformance
