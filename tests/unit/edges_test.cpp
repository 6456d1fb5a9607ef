// SPDX-License-Identifier: Apache-2.0
// What ops give at the edges of their ranges, as mathematics has it. (tests/conformance compares every
// backend with `reference`; here stands what that one must give.)
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "halfling/random.hpp"
#include "sheet.hpp"

using namespace halfling;
using namespace halfling::test;

namespace {

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float NaN = std::numeric_limits<float>::quiet_NaN();

}  // namespace

TEST_CASE("a NaN in either operand of minimum and maximum is a NaN, in every format") {
  Sheet sheet;
  for (const DType format : {DType::f32, DType::f16, DType::bf16}) {
    const Value a = cast(sheet.input({NaN, 1, 2, NaN, -inf}, {5}), format),
                b = cast(sheet.input({1, NaN, 3, NaN, 4}, {5}), format);
    sheet.expect(minimum(a, b), {NaN, NaN, 2, NaN, -inf});
    sheet.expect(maximum(a, b), {NaN, NaN, 3, NaN, 4});
  }
  const Value logit = sheet.input({0.5, NaN, 2, -1}, {4, 1});
  sheet.expect(mean(maximum(constant(sheet.graph, 0, {1, 1}), 1.0 - logit)), {NaN});
  sheet.check();
}

TEST_CASE("the gradient of minimum and maximum has its operand's shape") {
  Sheet sheet;
  const Value a = sheet.input({1, 5, 3, 4, 2, 9}, {2, 3}), p = sheet.input({2, 6, 1}, {1, 3});
  sheet.expect(minimum(a, p), {1, 5, 1, 2, 2, 1});
  sheet.expect_gradient(minimum(a, p), p, {1, 0, 2});
  sheet.expect_gradient(minimum(a, p), a, {1, 1, 0, 0, 1, 0});
  sheet.expect_gradient(maximum(p, a), p, {1, 2, 0});
  // every element of p is chosen twice: 2^2 + 2^2 + 2^2
  const Value low = sheet.input({-7, -8, -9}, {1, 3});
  const std::vector<ValueId> losses{minimum(a, low)}, seeds{constant(sheet.graph, 1, {2, 3})}, targets{low};
  const Value found{&sheet.graph, gradient(sheet.graph, losses, seeds, targets)[0]};
  sheet.expect(sum(found * found, 0b11), {12});
  sheet.check();
}

TEST_CASE("ReLU stops infinities, and lets a NaN pass") {
  Sheet sheet;
  const Value x = sheet.input({-inf, -1, 0, 1, inf, NaN}, {6});
  sheet.expect(relu(x), {0, 0, 0, 1, inf, NaN});
  sheet.expect(leaky_relu(x, 0.25), {-inf, -0.25, 0, 1, inf, NaN});
  const Value dy = sheet.input({inf, -inf, NaN, inf, 2, 3}, {6});
  const Value through{&sheet.graph,
                      sheet.graph.append_value(Op::leaky_relu_gradient, {x, dy}, SlopeAttributes{0})};
  sheet.expect(through, {0, 0, 0, inf, 2, 3});
  sheet.check();
}

TEST_CASE("functions at the ends of their ranges") {
  Sheet sheet;
  const Value x = sheet.input({-inf, -0.0f, 0, inf, NaN, -1, 0x1p-149f}, {7});
  sheet.expect(exp(x), {0, 1, 1, inf, NaN, std::exp(-1.0), 1});
  sheet.expect(log(x), {NaN, -inf, -inf, inf, NaN, NaN, std::log(0x1p-149)});
  sheet.expect(sqrt(x), {NaN, 0, 0, inf, NaN, NaN, std::sqrt(0x1p-149)});
  sheet.expect(sigmoid(x), {0, 0.5, 0.5, 1, NaN, 1 / (1 + std::exp(1.0)), 0.5});
  sheet.expect(tanh(x), {-1, 0, 0, 1, NaN, std::tanh(-1.0), 0x1p-149});
  sheet.expect(constant(sheet.graph, 1, {7}) / sqrt(x),
               {NaN, -inf, inf, 0, NaN, NaN, 1 / std::sqrt(0x1p-149)});
  sheet.check();
}

TEST_CASE("sigmoid cross entropy of an infinite logit is its limit") {
  Sheet sheet;
  const Value x = sheet.input({inf, -inf, NaN, 0}, {4});
  const double half = std::log(2.0);
  sheet.expect(sigmoid_cross_entropy(x, 0), {inf, 0, NaN, half});
  sheet.expect(sigmoid_cross_entropy(x, 1), {0, inf, NaN, half});
  sheet.expect(sigmoid_cross_entropy(x, 0.9), {inf, inf, NaN, half});
  sheet.expect_gradient(sigmoid_cross_entropy(x, 0), x, {1, 0, NaN, 0.5});
  sheet.expect_gradient(sigmoid_cross_entropy(x, 1), x, {0, -1, NaN, -0.5});
  sheet.check();
}

TEST_CASE("softmax and its cross entropy of infinite logits are their limits, NaN where there is none") {
  Sheet sheet;
  const Value x = sheet.input({inf, 0,   1, inf, 0,   1, -inf, 0,    0,    -inf, 0,   -inf,
                               inf, inf, 0, inf, inf, 0, -inf, -inf, -inf, 0,    NaN, 0},
                              {8, 3});
  const Value labels = sheet.labels({0, 2, 0, 2, 1, 2, 0, 0});
  sheet.expect(softmax(x), {1,   0,   0, 1,   0,   0, 0,   0.5, 0.5, 0,   1,   0,
                            NaN, NaN, 0, NaN, NaN, 0, NaN, NaN, NaN, NaN, NaN, NaN});
  const Value loss = softmax_cross_entropy(x, labels);
  sheet.expect(loss, {0, inf, inf, inf, NaN, inf, NaN, NaN});
  sheet.expect_gradient(slice(loss, 0, 0, 4), x, {0,   0,   0, 1,   0,   -1, -1,  0.5, 0.5, 0,   1,   -1,
                                                  NaN, NaN, 0, NaN, NaN, 0,  NaN, NaN, NaN, NaN, NaN, NaN});
  sheet.check();
}

TEST_CASE("a label that is none of the classes gives NaN, in losses and gradients") {
  Sheet sheet;
  const Value x = sheet.input({1, 2, 3, 1, 2, 3, 1, 2, 3}, {3, 3}), labels = sheet.labels({-1, 2, 3});
  const double third = std::log(1 + std::exp(-1.0) + std::exp(-2.0));
  const double p[] = {std::exp(-2 - third), std::exp(-1 - third), std::exp(-third)};
  sheet.expect(softmax_cross_entropy(x, labels), {NaN, third, NaN});
  sheet.expect_gradient(softmax_cross_entropy(x, labels), x,
                        {NaN, NaN, NaN, p[0], p[1], p[2] - 1, NaN, NaN, NaN});
  sheet.expect(one_hot(labels, 3), {NaN, NaN, NaN, 0, 0, 1, NaN, NaN, NaN});
  sheet.check();
}

TEST_CASE("a whole number becomes half with one rounding") {
  Sheet sheet;
  const Value x = sheet.labels({16842753, -16842753, 16842752, 65519, 65520, 2147483647});
  sheet.expect(cast(x, DType::bf16), {16908288, -16908288, 16777216, 65536, 65536, 2147483648.0});
  sheet.expect(cast(x, DType::f16), {inf, -inf, inf, 65504, inf, inf});
  sheet.expect(cast(x, DType::f32), {16842752, -16842752, 16842752, 65519, 65520, 2147483648.0});
  sheet.check();
}

TEST_CASE("a constant of a half format is rounded once") {
  Sheet sheet;
  const double above_middle = 1 + 0x1p-11 + 0x1p-40;  // f32 has 1 + 2^-11, the middle, which f16 rounds to 1
  sheet.expect(constant(sheet.graph, above_middle, {1}, DType::f16), {1 + 0x1p-10});
  sheet.check();
}

TEST_CASE("Philox4x32-10 gives Random123's known answers") {
  CHECK(philox({0, 0, 0, 0}, {0, 0}) == PhiloxWords{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  CHECK(philox({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}) ==
        PhiloxWords{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
        PhiloxWords{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("a uniform number is never the end of its range") {
  struct Range {
    double low, high;
  };
  for (const auto& [low, high] : {Range{5, 6},
                                  {100, 101},
                                  {-0.3, 0.1},
                                  {-6, -5},
                                  {0x1p24, 0x1p24 + 2},
                                  {0, 1},
                                  {-1, 1},
                                  {-1e-3, 1e-3}}) {
    CAPTURE(low);
    CAPTURE(high);
    for (std::uint32_t u = 0; u < 64; ++u) {
      const float first = uniform_element(u << 8, low, high),
                  last = uniform_element(~0u - (u << 8), low, high);
      CHECK(first >= static_cast<float>(low));
      CHECK(last < static_cast<float>(high));
      // where the formula's own rounding stays below the end, the number is the formula's
      const auto formula = static_cast<float>(low + (high - low) * unit_uniform(~0u - (u << 8)));
      if (formula < static_cast<float>(high)) CHECK(last == formula);
    }
  }
  CHECK(uniform_element(~0u, 5, 6) == std::nextafter(6.0f, 5.0f));
  CHECK(uniform_element(~0u, 3, 3) == 3);
}
