// SPDX-License-Identifier: Apache-2.0
// Batch norm. Statistics are sums of n <= 128 rounded terms and a root; results carry a few roundings of
// values of size 1 to 4, dx is a difference of three such terms, and dgamma a sum of n of them.
#include <fmt/format.h>

#include "case.hpp"

namespace halfling::conformance {
namespace {

constexpr Allowance few_roundings{.ulps = 16, .epsilons = 32};
constexpr Allowance many_roundings{.ulps = 64, .epsilons = 1024, .storage = 64};

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

/// Differentiated twice, the second time through many more roundings.
Case twice(const char* name, Shape shape) {
  Case the_case = training(name, shape, reals(-2, 2), few_roundings, 2);
  the_case.gradient_tolerance = many_roundings;
  return the_case;
}

void inference(Builder& b, Shape shape) {
  const Shape channels{shape[1]};
  const Value x = b.input("x", shape);
  const Value gamma = b.input("gamma", b.wide(), channels, reals(0.5, 2));
  const Value beta = b.input("beta", b.wide(), channels, reals(-1, 1));
  const Value mean = b.input("mean", b.wide(), channels, reals(-1, 1));
  const Value variance = b.input("variance", b.wide(), channels, reals(0.1, 2));
  b.check("y", b.append(Op::batch_norm_inference, {x, gamma, beta, mean, variance}, EpsilonAttributes{1e-5}),
          {x, gamma, beta, mean, variance});
}

/// Mean and variance where the first element of every channel lies far from the others: as a shift it must
/// cost no digits. Within 8 steps of f32, which are 1e-6.
Case far_first(const std::string& name, Shape shape, Fill fill, double first, bool rectified = false) {
  for (std::int64_t c = 0; c < shape[1]; ++c)
    fill.instead.emplace_back(static_cast<std::size_t>(c * shape[2] * shape[3]), first);
  return {.name = "batch_norm/far-first/" + name,
          .build =
              [=](Builder& b) {
                const Value drawn = b.input("x", shape, fill), x = rectified ? relu(drawn) : drawn;
                const Value gamma = b.input("gamma", b.wide(), {shape[1]}, list({1}));
                const Value beta = b.input("beta", b.wide(), {shape[1]}, list({0.5}));
                const NodeId id = b.graph.append(Op::batch_norm, {x, gamma, beta}, EpsilonAttributes{1e-5});
                b.output("mean", {&b.graph, b.graph.node(id).results[1]});
                b.output("variance", {&b.graph, b.graph.node(id).results[2]});
              },
          .tolerance = {.ulps = 8},
          .formats = Formats::once};
}

/// Exact: of one number the variance is zero.
Case constant(const char* name, std::vector<double> values) {
  return {.name = std::string("batch_norm/") + name,
          .build =
              [=](Builder& b) {
                const Value x = b.input("x", {64, 1, 24, 24}, list(values));
                const Value gamma = b.input("gamma", b.wide(), {1}, list({1}));
                const Value beta = b.input("beta", b.wide(), {1}, list({0.5}));
                const NodeId id = b.graph.append(Op::batch_norm, {x, gamma, beta}, EpsilonAttributes{1e-5});
                b.output("mean", {&b.graph, b.graph.node(id).results[1]});
                b.output("variance", {&b.graph, b.graph.node(id).results[2]});
              },
          .formats = Formats::once,
          .zeros = true};
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
      twice("twice-image", {4, 3, 5, 5}),
      twice("twice-rows", {16, 7}),
      training("rows-blocked", {8, 64}, unit, few_roundings),
      // Forward only: dgamma would tell no more than how its f32 mean was rounded. E[x^2] - E[x]^2 in f32
      // would be off by 1e4 epsilons; x itself has steps of 64.
      training("large-mean", {4, 3, 6, 6}, reals(100, 102), {.ulps = 4, .epsilons = 400}, 0),
      far_first("sparse", {1, 1, 1, 12544}, list({0.01, 0, 0, 0, 0, 0, 0}), 0.3),
      far_first("uniform", {256, 3, 64, 64}, reals(0, 1), 100),
      far_first("rectified", {256, 3, 64, 64}, normals(0, 0.01), 1, true),
      far_first("normal-10", {256, 5, 64, 64}, normals(0, 1), 10),
      far_first("normal-30", {64, 37, 16, 16}, normals(0, 1), 30),
      far_first("normal-100", {64, 8, 32, 32}, normals(0, 1), 100),
      far_first("normal-10000", {256, 5, 64, 64}, normals(0, 1), 1e4),
      far_first("wide-rows", {50, 9001, 1, 1}, normals(0, 1), 1e4),
      constant("constant", {0.1f}),
      constant("constant-1e8", {1e8}),
      constant("250-or-251", {250, 251}),
      {.name = "batch_norm_inference/image",
       .build =
           [](Builder& b) {
             inference(b, {3, 5, 4, 4});
           },
       .fill = unit,
       .tolerance = few_roundings,
       .gradient_tolerance = many_roundings,
       .order = 2},
      {.name = "batch_norm_inference/rows",
       .build =
           [](Builder& b) {
             inference(b, {1, 33});
           },
       .fill = unit,
       .tolerance = few_roundings,
       .gradient_tolerance = many_roundings,
       .order = 2},
  };
}

}  // namespace halfling::conformance
