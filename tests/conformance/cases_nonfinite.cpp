// SPDX-License-Identifier: Apache-2.0
// NaN and infinity go where IEEE 754 sends them: a loss scaler relies on it.
#include <fmt/format.h>

#include <limits>

#include "case.hpp"

namespace halfling::conformance {
namespace {

const double inf = std::numeric_limits<double>::infinity();
const double nan = std::numeric_limits<double>::quiet_NaN();
const Fill special = list({1, nan, -2, inf, 0, -inf, 3});

using Unary = Value (*)(Value);

Case unary_case(const char* name, Unary function, Fill fill = special, Allowance tolerance = {}) {
  return {.name = fmt::format("nonfinite/{}", name),
          .build =
              [=](Builder& b) {
                b.check("y", function(b.input("x", {5, 7}, fill)));
              },
          .tolerance = tolerance};
}

Case binary_case(const char* name, Value (*function)(Value, Value)) {
  return {.name = fmt::format("nonfinite/{}", name), .build = [=](Builder& b) {
            b.check("y", function(b.input("a", {5, 7}, special),
                                  b.input("b", {5, 7}, list({2, 1, inf, -1, 0.5}))));
          }};
}

void matmul_special(Builder& b) {  // the rows and columns that hold none stay finite
  const Value x = b.input("a", {3, 5}, list({1, 2, 1, 3, 1, 1, inf, 1, 1, 1, 1, 1, 1, 1, nan}));
  const Value w = b.input("b", {5, 4}, list({1, 2, -1}));
  b.check("y", matmul(x, w), {w});
}

void conv_special(Builder& b) {  // padding is absent, not a zero that an infinity could be multiplied with
  const Value x =
      b.input("x", {2, 3, 4, 4}, list({1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, inf, 6, 7, 1, 2, 3}));
  const Value w = b.input("w", {4, 3, 3, 3}, list({1, 2, -1}));
  b.check("y", conv2d(x, w, 1, 1), {w});
}

void overflow(Builder& b) {  // 240 * 300 = 72000: infinite in f16, finite elsewhere
  const Value x = b.input("x", {3, 5}, list({240, -240, 2}));
  const Value w = b.input("w", {5, 3}, list({300, 0, 0}));
  b.check("product", matmul(x, w));
  b.check("scaled", 300.0 * x);
}

/// A value below the format's range becomes zero, one inside of its subnormals stays.
void underflow(Builder& b) {
  const Value x =
      b.input("x", b.wide(), {7}, list({0x1p-20, 0x1p-24, 0x1.8p-25, 0x1p-25, 0x1p-26, 0x1p-133, 1}));
  b.check("y", cast(x, b.io()));
}

void gradient_special(Builder& b) {
  const Value x = b.input("x", {3, 7}, list({1, -1, 2, -2, 3, -3, 4}));
  const Value dy = b.input("dy", {3, 7}, special);
  b.check("leaky", b.append(Op::leaky_relu_gradient, {x, dy}, SlopeAttributes{0.25}));
}

void select_special(Builder& b) {  // the alternative that is not chosen leaves no trace
  const Value condition = b.input("condition", DType::boolean, {3, 7}, list({1, 0, 1, 0, 1, 0, 1}));
  b.check("y", select(condition, b.input("a", {3, 7}), b.input("b", {3, 7}, special)));
}

}  // namespace

std::vector<Case> nonfinite_cases() {
  const Allowance function_rounding{.ulps = 3, .epsilons = 1};
  return {
      unary_case("affine", [](Value x) { return 2.0 * x + 1.0; }),
      unary_case("leaky_relu", [](Value x) { return leaky_relu(x, 0.25); }),
      unary_case(
          "relu", [](Value x) { return relu(x); }, list({1, nan, -2, inf, 3})),
      unary_case("sigmoid", sigmoid, special, function_rounding),
      unary_case("tanh", tanh, special, function_rounding),
      unary_case("exp", exp, list({1, nan, -2, inf, 0, -inf, 1000, -1000}), function_rounding),
      unary_case("log", log, list({1, nan, -2, inf, 0, 2}), function_rounding),
      unary_case("sqrt", sqrt, list({1, nan, -4, inf, 0, 16})),
      unary_case(
          "sum", [](Value x) { return sum(x, 0b10); },
          list({1, 2, 3, 4, 5, 6, 7, 8, inf, 1, 1, 1, 1, 1, nan, 2})),
      binary_case("add", operator+),
      binary_case("subtract", operator-),
      binary_case("multiply", operator*),
      binary_case("divide", operator/),
      binary_case("less", less),
      {.name = "nonfinite/matmul", .build = matmul_special},
      {.name = "nonfinite/conv2d", .build = conv_special},
      {.name = "nonfinite/overflow", .build = overflow},
      {.name = "nonfinite/underflow", .build = underflow},
      {.name = "nonfinite/leaky_relu_gradient", .build = gradient_special},
      {.name = "nonfinite/select", .build = select_special},
  };
}

}  // namespace halfling::conformance
