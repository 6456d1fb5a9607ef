// SPDX-License-Identifier: Apache-2.0
// Losses: exponentials and logarithms of values of size 1 to 5, a few roundings each.
#include <fmt/format.h>

#include "case.hpp"

namespace halfling::conformance {
namespace {

constexpr Allowance few_roundings{.ulps = 3, .epsilons = 6};

Case softmax_case(const char* name, Shape shape, Fill fill, Allowance gradient_tolerance, int order = 2) {
  return {.name = fmt::format("softmax/{}", name),
          .build =
              [shape](Builder& b) {
                const Value x = b.input("x", shape);
                b.check("y", softmax(x), {x});
              },
          .fill = fill,
          .tolerance = few_roundings,
          .gradient_tolerance = gradient_tolerance,
          .order = order};
}

Case class_case(const char* name, Shape shape, Fill fill, Allowance tolerance, Allowance gradient_tolerance) {
  return {.name = fmt::format("softmax_cross_entropy/{}", name),
          .build =
              [shape](Builder& b) {
                const Value x = b.input("x", shape);
                const auto last = static_cast<double>(shape[1] - 1);
                const Value labels = b.input("labels", DType::i32, {shape[0]}, list({0, last, 1, 1}));
                b.check("y", softmax_cross_entropy(x, labels), {x});
              },
          .fill = fill,
          .tolerance = tolerance,
          .gradient_tolerance = gradient_tolerance,
          .order = 2};
}

Case binary_case(const char* name, double target, Fill fill, Allowance tolerance,
                 Allowance gradient_tolerance) {
  return {.name = fmt::format("sigmoid_cross_entropy/{}", name),
          .build =
              [target](Builder& b) {
                const Value x = b.input("x", {17, 3});
                b.check("y", sigmoid_cross_entropy(x, target), {x});
              },
          .fill = fill,
          .tolerance = tolerance,
          .gradient_tolerance = gradient_tolerance,
          .order = 2};
}

}  // namespace

std::vector<Case> loss_cases() {
  const Fill logits = reals(-4, 4);
  // Gradients multiply weights of up to 4 with what the nodes before them stored rounded.
  const Allowance gradients{.ulps = 3, .storage = 16};
  // log(sum(exp)) rounds at its own size, 300, which a label with the largest logit then cancels; and the
  // weights in the gradients are up to 300 too.
  const Fill large = reals(-300, 300);
  const Allowance large_rounding{.ulps = 3, .epsilons = 600};
  const Allowance large_gradients{.ulps = 3, .storage = 1200};
  // exp(95) is beyond f32.
  std::vector<double> two_large(101, 0);
  two_large[7] = 95;
  two_large[40] = 94;
  return {
      softmax_case("rows", {7, 10}, logits, gradients),
      softmax_case("one-row", {1, 33}, logits, gradients),
      softmax_case("large", {5, 10}, large, large_gradients, 0),
      softmax_case("many-classes", {3, 101}, large, large_gradients, 0),
      softmax_case("two-large", {3, 101}, list(two_large), large_gradients, 0),
      class_case("rows", {9, 10}, logits, few_roundings, gradients),
      class_case("two-classes", {4, 2}, logits, few_roundings, gradients),
      class_case("one-row", {1, 17}, logits, few_roundings, gradients),
      class_case("many-classes", {3, 101}, large, large_rounding, large_gradients),
      class_case("large", {6, 10}, large, large_rounding, large_gradients),
      binary_case("one", 1, logits, few_roundings, gradients),
      binary_case("zero", 0, logits, few_roundings, gradients),
      binary_case("smooth", 0.9, logits, few_roundings, gradients),
      binary_case("large", 1, large, few_roundings, large_gradients),
  };
}

}  // namespace halfling::conformance
