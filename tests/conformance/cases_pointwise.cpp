// SPDX-License-Identifier: Apache-2.0
// Element by element. Arithmetic of small whole numbers and powers of two is exact; functions carry a few
// roundings.
#include <fmt/format.h>

#include "case.hpp"

namespace halfling::conformance {
namespace {

using Unary = Value (*)(Value);
using Binary = Value (*)(Value, Value);

/// Of a function's value.
constexpr Allowance function_rounding{.ulps = 3, .epsilons = 1};

/// Gradients are products of weights with the function's stored value: `size` is how large they get.
constexpr Allowance gradient_rounding(double size) {
  return {.ulps = 3, .storage = size};
}

Case function_case(const char* op, const char* name, Unary function, Fill fill, Allowance tolerance,
                   Allowance gradient_tolerance) {
  return {.name = fmt::format("{}/{}", op, name),
          .build =
              [function](Builder& b) {
                const Value x = b.input("x", {3, 5, 7, 2});
                b.check("y", function(x), {x});
              },
          .fill = fill,
          .tolerance = tolerance,
          .gradient_tolerance = gradient_tolerance,
          .order = 2};
}

struct Pattern {
  const char* name;
  Shape a, b;
};

/// How bias, scale, scalars and per-sample weights meet a value.
const Pattern patterns[] = {
    {"same", {3, 5, 4, 7}, {3, 5, 4, 7}},
    {"same-rows", {9, 33}, {9, 33}},
    {"scalars", {}, {}},
    {"vectors", {37}, {37}},
    {"bias-image", {3, 5, 4, 7}, {1, 5, 1, 1}},
    {"bias-blocked", {2, 32, 4, 4}, {1, 32, 1, 1}},
    {"bias-rows", {6, 17}, {1, 17}},
    {"one-scalar", {2, 3, 4, 5}, {1, 1, 1, 1}},
    {"row-scale", {6, 10}, {6, 1}},
    {"sample-scale", {3, 4, 2, 2}, {3, 1, 1, 1}},
    {"channel-and-sample", {2, 3, 4, 5}, {2, 3, 1, 1}},
    {"pixel", {2, 3, 4, 5}, {1, 1, 4, 5}},
    {"first-broadcast", {1, 5}, {4, 5}},
    {"both-broadcast", {4, 1}, {1, 5}},
};

Case pattern_case(const char* op, Binary function, const Pattern& p, const Fill& second) {
  return {.name = fmt::format("{}/{}", op, p.name),
          .build =
              [function, p, second](Builder& b) {
                const Value x = b.input("a", p.a);
                const Value y = b.input("b", p.b, second);
                b.check("y", function(x, y), {x, y});
              },
          .order = 2};
}

/// b never equals a, so that finite differences see no kink. Of two scalars the one that is not chosen has no
/// gradient.
Case choice_case(const char* op, Binary function, const Pattern& p) {
  Case result = pattern_case(op, function, p, list({-2.5, 0.5, 1.5, -1.25}));
  result.zeros = p.a.elements() == 1;
  return result;
}

/// The operands of a comparison meet, too.
Case less_case(const Pattern& p) {
  return {.name = fmt::format("less/{}", p.name),
          .build =
              [p](Builder& b) {
                const Value x = b.input("a", p.a);
                const Value y = b.input("b", p.b, p.b.elements() == 1 ? list({1}) : integers(3));
                b.output("y", less(x, y));
                b.output("other", less(y, x));
              },
          .zeros = p.a.elements() == 1};
}

Case or_case(const Pattern& p) {
  return {.name = fmt::format("logical_or/{}", p.name),
          .build =
              [p](Builder& b) {
                const Value x = b.input("a", DType::boolean, p.a, list({0, 1, 0}));
                const Value y = b.input("b", DType::boolean, p.b, list({0, 0, 0, 1}));
                b.output("y", logical_or(x, y));
              },
          .formats = Formats::once,
          .zeros = p.a.elements() == 1};
}

/// Linear in dy only.
Case leaky_gradient_case(const Pattern& p) {
  return {.name = fmt::format("leaky_relu_gradient/{}", p.name),
          .build =
              [p](Builder& b) {
                const Value x = b.input("x", p.a, list({-2, 1, 3, -0.5, 2})), dy = b.input("dy", p.b);
                b.check("y", b.append(Op::leaky_relu_gradient, {x, dy}, SlopeAttributes{0.25}), {dy});
              },
          .order = 2};
}

Case leaky_case(const char* name, double slope, Allowance tolerance, const Shape& shape) {
  return {.name = fmt::format("leaky_relu/{}", name),
          .build =
              [slope, shape](Builder& b) {
                const Value x = b.input("x", shape);
                b.check("y", leaky_relu(x, slope), {x});
              },
          .tolerance = tolerance,
          .order = 2};
}

void build_select(Builder& b, const Shape& condition) {
  const Value choose = b.input("condition", DType::boolean, condition, list({1, 0, 0}));
  const Value x = b.input("a", {4, 7});
  const Value y = b.input("b", {4, 7});
  b.check("y", select(choose, x, y), {x, y});
}

void add_functions(std::vector<Case>& cases) {
  const auto add = [&](const char* op, const char* name, Unary function, Fill fill, Allowance tolerance,
                       Allowance gradient_tolerance) {
    cases.push_back(function_case(op, name, function, std::move(fill), tolerance, gradient_tolerance));
  };
  add("affine", "exact", [](Value x) { return 1.0 - 2.0 * x; }, integers(3), {}, {});
  add("affine", "reals", [](Value x) { return 0.3 * x + 0.1; }, reals(-2, 2), {.ulps = 1, .epsilons = 1},
      {.ulps = 1});
  add("sigmoid", "reals", sigmoid, reals(-4, 4), function_rounding, gradient_rounding(4));
  add("sigmoid", "saturated", sigmoid, reals(-30, 30), function_rounding, gradient_rounding(40));
  add("softplus", "reals", softplus, reals(-4, 4), function_rounding, gradient_rounding(4));
  add("softplus", "saturated", softplus, reals(-30, 30), function_rounding, gradient_rounding(40));
  add("tanh", "reals", tanh, reals(-2, 2), function_rounding, gradient_rounding(4));
  add("exp", "reals", exp, reals(-2, 2), {.ulps = 3}, gradient_rounding(16));
  add("log", "reals", log, reals(0.25, 4), function_rounding, {.ulps = 2});
  add("sqrt", "reals", sqrt, reals(0.25, 4), {.ulps = 2}, gradient_rounding(8));
  add("sqrt", "exact", sqrt, list({1, 4, 16, 64}), {}, {});
}

void add_rest(std::vector<Case>& cases) {
  cases.push_back(leaky_case("exact", 0.25, {}, {3, 5, 4, 7}));
  cases.push_back(leaky_case("blocked", 0.25, {}, {2, 32, 4, 4}));
  cases.push_back(leaky_case("relu", 0, {}, {7, 19}));
  cases.push_back(leaky_case("slope-0.2", 0.2, {.ulps = 1}, {7, 19}));
  cases.push_back({.name = "select/same", .build = [](Builder& b) { build_select(b, {4, 7}); }, .order = 2});
  cases.push_back({.name = "select/scalar-condition",
                   .build = [](Builder& b) { build_select(b, {}); },
                   .order = 2,
                   .zeros = true});  // the gradient of the alternative that was not chosen
}

}  // namespace

bool is_function(Op op) {
  return is_one_of<Op::sigmoid, Op::softplus, Op::tanh, Op::exp, Op::log>(op);
}

std::vector<Case> pointwise_cases() {
  std::vector<Case> cases;
  const Fill powers = list({1, -2, 4, 0.5});
  for (const Pattern& p : patterns) {
    cases.push_back(pattern_case("add", operator+, p, integers(3)));
    cases.push_back(pattern_case("subtract", operator-, p, integers(3)));
    cases.push_back(pattern_case("multiply", operator*, p, integers(3)));
    cases.push_back(pattern_case("divide", operator/, p, powers));
    cases.push_back(choice_case("minimum", minimum, p));
    cases.push_back(choice_case("maximum", maximum, p));
    cases.push_back(less_case(p));
    cases.push_back(or_case(p));
    cases.push_back(leaky_gradient_case(p));
  }
  add_functions(cases);
  add_rest(cases);
  return cases;
}

}  // namespace halfling::conformance
