// SPDX-License-Identifier: Apache-2.0
// Batch norm. Statistics are sums of n <= 128 rounded terms and a root; results carry a few roundings of
// values of size 1 to 4, dx is a difference of three such terms, and dgamma a sum of n of them.
#include <fmt/format.h>

#include "case.hpp"

namespace halfling::conformance {
namespace {

constexpr Allowance few_roundings{.ulps = 16, .epsilons = 32};

Case training(const char* name, Shape shape, Fill fill, Allowance tolerance, int order = 1) {
  return {
      .name = fmt::format("batch_norm/{}", name),
      .build =
          [shape, order](Builder& b) {
            const Value x = b.input("x", shape);
            const Value gamma = b.input("gamma", b.wide(), {shape[1]}, reals(0.5, 2));
            const Value beta = b.input("beta", b.wide(), {shape[1]}, reals(-1, 1));
            const NodeId id = b.graph.append(Op::batch_norm, {x, gamma, beta}, EpsilonAttributes{1e-5});
            const std::vector<ValueId> results = b.graph.node(id).results;
            const std::vector<Value> targets = order > 0 ? std::vector{x, gamma, beta} : std::vector<Value>{};
            b.check("y", {&b.graph, results[0]}, targets);
            b.output("mean", {&b.graph, results[1]});
            b.output("variance", {&b.graph, results[2]});
          },
      .fill = fill,
      .tolerance = tolerance,
      .order = order};
}

void inference(Builder& b, Shape shape) {
  const Shape channels{shape[1]};
  const Value x = b.input("x", shape);
  const Value gamma = b.input("gamma", b.wide(), channels, reals(0.5, 2));
  const Value beta = b.input("beta", b.wide(), channels, reals(-1, 1));
  const Value mean = b.input("mean", b.wide(), channels, reals(-1, 1));
  const Value variance = b.input("variance", b.wide(), channels, reals(0.1, 2));
  b.output("y",
           b.append(Op::batch_norm_inference, {x, gamma, beta, mean, variance}, EpsilonAttributes{1e-5}));
}

}  // namespace

std::vector<Case> normalization_cases() {
  const Fill unit = reals(-2, 2);
  return {
      training("image", {4, 3, 5, 5}, unit, few_roundings),
      training("image-blocked-channels", {2, 32, 4, 4}, unit, few_roundings),
      training("image-odd-channels", {2, 17, 3, 3}, unit, few_roundings),
      training("one-image", {1, 4, 6, 6}, unit, few_roundings),
      training("one-channel", {3, 1, 7, 7}, unit, few_roundings),
      training("rows", {16, 7}, unit, few_roundings),
      training("rows-blocked", {8, 64}, unit, few_roundings),
      // Forward only: dgamma would tell no more than how its f32 mean was rounded. E[x^2] - E[x]^2 in f32
      // would be off by 1e4 epsilons; x itself has steps of 64.
      training("large-mean", {4, 3, 6, 6}, reals(100, 102), {.ulps = 4, .epsilons = 400}, 0),
      {.name = "batch_norm_inference/image",
       .build =
           [](Builder& b) {
             inference(b, {3, 5, 4, 4});
           },
       .fill = unit,
       .tolerance = few_roundings},
      {.name = "batch_norm_inference/rows",
       .build =
           [](Builder& b) {
             inference(b, {1, 33});
           },
       .fill = unit,
       .tolerance = few_roundings},
  };
}

}  // namespace halfling::conformance
