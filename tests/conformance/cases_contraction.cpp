// SPDX-License-Identifier: Apache-2.0
// Matrix products. Operands are small whole numbers, so that every sum is exact in f32 and the result has one
// rounding: no tolerance.
#include <fmt/format.h>

#include <array>

#include "case.hpp"

namespace halfling::conformance {
namespace {

struct Product {
  std::int64_t m, k, n;
  bool transpose_a, transpose_b;
};

Case product_case(const Product& p) {
  return {.name = fmt::format("matmul/{}{}-{}x{}x{}", p.transpose_a ? 't' : 'n', p.transpose_b ? 't' : 'n',
                              p.m, p.k, p.n),
          .build =
              [p](Builder& b) {
                const Value x = b.input("a", p.transpose_a ? Shape{p.k, p.m} : Shape{p.m, p.k});
                const Value w = b.input("b", p.transpose_b ? Shape{p.n, p.k} : Shape{p.k, p.n});
                b.check("y", matmul(x, w, p.transpose_a, p.transpose_b), {x, w});
              },
          .formats = Formats::and_tf32,
          .order = 2};
}

}  // namespace

std::vector<Case> contraction_cases() {
  std::vector<Case> cases;
  for (const bool ta : {false, true})
    for (const bool tb : {false, true})
      for (const auto& [m, k, n] : {std::array{5, 7, 3}, {16, 32, 48}, {33, 65, 17}})
        cases.push_back(product_case({m, k, n, ta, tb}));
  for (const auto& [m, k, n] : {std::array{1, 10, 1}, {64, 1, 6}, {1, 110, 32}, {16, 100, 1}})
    cases.push_back(product_case({m, k, n, false, true}));
  cases.push_back(
      {.name = "matmul/sum-beyond-a-half-accumulator",  // 1 + 1 + ... stops at 256 or 2048 in a half
       .build =
           [](Builder& b) {
             b.output("y", matmul(b.input("a", {2, 3000}), b.input("b", {3000, 2})));
           },
       .fill = list({1}),
       .formats = Formats::and_tf32});
  // An f32 sum of k = 100 products below 1 is off by at most k * 2^-24 * sum|ab| < 100 * 25 / 2 = 1250
  // epsilons; the errors are random, so a small part of that is ample.
  cases.push_back({.name = "matmul/reals",
                   .build =
                       [](Builder& b) {
                         const Value x = b.input("a", {9, 100});
                         const Value w = b.input("b", {11, 100});
                         b.check("y", matmul(x, w, false, true), {x, w});
                       },
                   .fill = reals(-1, 1),
                   .tolerance = {.epsilons = 50}});
  return cases;
}

}  // namespace halfling::conformance
