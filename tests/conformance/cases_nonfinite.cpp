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

/// Whole numbers, and one infinity in 61.
Fill rare(double special) {
  std::vector<double> values;
  for (int i = 0; i < 61; ++i) values.push_back((7 * i) % 5 - 2);
  values[40] = special;
  return list(std::move(values));
}

/// Of a contraction: see op.hpp.
Case contraction_case(std::string name, std::function<void(Builder&)> build) {
  return {.name = "nonfinite/" + std::move(name), .build = std::move(build), .contraction = true};
}

void matmul_special(Builder& b) {
  const Value x = b.input("a", {3, 5}, list({1, 2, 1, 3, 1, 1, inf, 1, 1, 1, 1, 1, 1, 1, nan}));
  const Value w = b.input("b", {5, 4}, list({1, 2, -1}));
  b.check("y", matmul(x, w), {w});
}

/// Extents that no tile divides. The gradients are the other two products.
void matmul_tails(Builder& b, std::int64_t rows, std::int64_t inner, std::int64_t columns) {
  const Value x = b.input("x", {rows, inner}, rare(inf)), w = b.input("w", {columns, inner});
  const Value z = b.input("z", {rows, inner}), v = b.input("v", {inner, columns}, rare(-inf));
  b.check("y", matmul(x, w, false, true), {x, w});
  b.check("u", matmul(z, v), {z, v});
}

struct Images {
  const char* name;
  Shape x;
  std::int64_t out, kernel;
  int stride, padding;
};

/// An infinity in each operand of each direction.
void conv_special(Builder& b, const Images& i) {
  const std::int64_t height = (i.x[2] + 2 * i.padding - i.kernel) / i.stride + 1;
  const std::int64_t width = (i.x[3] + 2 * i.padding - i.kernel) / i.stride + 1;
  const Shape w{i.out, i.x[1], i.kernel, i.kernel}, y{i.x[0], i.out, height, width};
  const ConvAttributes to_input{i.stride, i.padding, i.x[2], i.x[3]};
  const ConvAttributes to_weight{i.stride, i.padding, i.kernel, i.kernel};
  for (const bool first : {true, false}) {
    const std::string name = first ? "first" : "second";
    const auto fill = [&](bool special) { return special ? rare(first ? inf : -inf) : integers(2); };
    const auto operand = [&](const char* kind, const Shape& shape, bool special) {
      return b.input(kind + (" " + name), shape, fill(special));
    };
    b.output("y " + name, conv2d(operand("x", i.x, first), operand("w", w, !first), i.stride, i.padding));
    b.output("dx " + name, b.append(Op::conv2d_input_gradient,
                                    {operand("dy", y, first), operand("dw", w, !first)}, to_input));
    b.output("dw " + name, b.append(Op::conv2d_weight_gradient,
                                    {operand("z", i.x, first), operand("dz", y, !first)}, to_weight));
  }
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
  const auto images = [](const Images& i) {
    return contraction_case(i.name, [i](Builder& b) { conv_special(b, i); });
  };
  const Allowance function_rounding{.ulps = 3, .epsilons = 1};
  return {
      unary_case("affine", [](Value x) { return 2.0 * x + 1.0; }),
      unary_case("leaky_relu", [](Value x) { return leaky_relu(x, 0.25); }),
      unary_case("relu", [](Value x) { return relu(x); }),
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
      contraction_case("matmul", matmul_special),
      contraction_case("matmul-tails", [](Builder& b) { matmul_tails(b, 37, 35, 19); }),
      contraction_case("matmul-few-rows", [](Builder& b) { matmul_tails(b, 3, 1033, 257); }),
      images({"conv2d", {2, 3, 4, 4}, 4, 3, 1, 1}),
      images({"conv2d-one-channel", {2, 1, 7, 7}, 5, 4, 2, 1}),
      images({"conv2d-blocked-channels", {2, 16, 6, 6}, 32, 3, 1, 1}),
      images({"conv2d-odd-channels", {2, 19, 5, 5}, 17, 3, 1, 1}),
      images({"conv2d-1x1", {2, 35, 4, 4}, 5, 1, 1, 0}),
      images({"conv2d-stride-above-width", {2, 5, 2, 2}, 8, 3, 3, 1}),
      {.name = "nonfinite/overflow", .build = overflow},
      {.name = "nonfinite/underflow", .build = underflow},
      {.name = "nonfinite/leaky_relu_gradient", .build = gradient_special},
      {.name = "nonfinite/select", .build = select_special},
  };
}

}  // namespace halfling::conformance
