// SPDX-License-Identifier: Apache-2.0
// Shapes large enough for a backend to work with several threads, tiles and chunks: the seams between them.
#include <limits>

#include "case.hpp"

namespace halfling::conformance {
namespace {

void normalised(Builder& b, Shape shape) {
  const Value x = b.input("x", shape);
  const Value gamma = b.input("gamma", b.wide(), {shape[1]}, reals(0.5, 2));
  const Value beta = b.input("beta", b.wide(), {shape[1]}, reals(-1, 1));
  const NodeId id = b.graph.append(Op::batch_norm, {x, gamma, beta}, EpsilonAttributes{1e-5});
  b.check("y", {&b.graph, b.graph.node(id).results[0]}, {x, gamma, beta});
}

void summed(Builder& b, Shape shape, unsigned mask) {
  const Value x = b.input("x", shape);
  b.output("sum", sum(x + x, mask));
}

void broadcast_add(Builder& b, Shape shape, Shape other) {
  b.check("y", b.input("x", shape) * b.input("z", other) + b.input("c", shape), {});
}

/// Few rows times a weight that lies as its transpose.
void few_rows(Builder& b) {
  const Value x = b.input("x", {7, 1100}), w = b.input("w", {260, 1100});
  b.check("y", matmul(x, w, false, true), {x, w});
}

/// Across the layout of images and back, each on its own.
void reshaped(Builder& b, Shape shape) {
  const Shape flat{shape[0], shape[1] * shape[2] * shape[3]};
  b.check("rows", reshape(b.input("x", shape), flat));
  b.check("images", reshape(b.input("z", flat), shape));
  b.check("others", reshape(b.input("o", shape), {shape[1], shape[0], shape[3], shape[2]}));
}

/// dw of many images in chunks, y and dx in parts.
void convolved(Builder& b, Shape shape, std::int64_t out) {
  const Value x = b.input("x", shape);
  const Value w = b.input("w", {out, shape[1], 4, 4});
  b.check("y", conv2d(x, w, 2, 1), {x, w});
}

void two_batches(Builder& b, std::int64_t rows, std::int64_t in, std::int64_t out) {
  const Value w = b.input("w", {out, in});
  const Value one = matmul(b.input("a", {rows, in}), w, false, true);
  const Value two = matmul(b.input("b", {rows, in}), w, false, true);
  b.check("y", one * two, {w});
}

/// A parameter that is cast, used and then updated, over several runs: y must be made of what the run before
/// left.
void trained(Builder& b) {
  const Shape shape{300, 300};
  const Value p = b.state("p", b.wide(), shape, reals(-1, 1));
  const Value m = b.state("m", b.wide(), shape, reals(-0.1, 0.1));
  const Value v = b.state("v", b.wide(), shape, reals(0.1, 0.2));
  b.output("y", matmul(b.input("x", {5, 300}), cast(p, b.io()), false, true));
  const Value skip = b.flag("skip", false);
  const Value step = b.append(Op::count, {b.state("step", DType::i32, {}, list({4})), skip});
  const Value scale = b.input("inverse_scale", DType::f32, {}, list({1}));
  const Value gradient = b.input("gradient", shape), rate = constant(b.graph, 0.1, {}, b.wide());
  const NodeId adam =
      b.graph.append(Op::adam, {p, m, v, step, gradient, scale, skip, rate}, AdamAttributes{.beta1 = 0.5});
  const std::vector<ValueId> results = b.graph.node(adam).results;
  b.graph.assign("step", step);
  b.graph.assign("p", results[0]);
  b.graph.assign("m", results[1]);
  b.graph.assign("v", results[2]);
}

/// Parameters of different sizes under one step count.
void updated(Builder& b) {
  const Value skip = b.flag("skip", false);
  const Value step = b.append(Op::count, {b.state("step", DType::i32, {}, list({4})), skip});
  const Value scale = b.input("inverse_scale", DType::f32, {}, list({0.5}));
  const Value rate = b.input("learning_rate", b.wide(), {}, list({0.01}));
  b.graph.assign("step", step);
  for (const Shape& shape : {Shape{4097}, Shape{3}, Shape{67, 131}}) {
    const std::string name = shape.text();
    const Value p = b.state("p" + name, b.wide(), shape, reals(-1, 1));
    const Value m = b.state("m" + name, b.wide(), shape, reals(-0.1, 0.1));
    const Value v = b.state("v" + name, b.wide(), shape, reals(0.1, 0.2));
    const Value gradient = b.input("gradient" + name, shape, reals(-2, 2));
    const NodeId adam =
        b.graph.append(Op::adam, {p, m, v, step, gradient, scale, skip, rate}, AdamAttributes{.beta1 = 0.5});
    const std::vector<ValueId> results = b.graph.node(adam).results;
    b.graph.assign("p" + name, results[0]);
    b.graph.assign("m" + name, results[1]);
    b.graph.assign("v" + name, results[2]);
    b.output("copy" + name, b.append(Op::cast, {results[0]}, CastAttributes{b.io()}));
  }
}

/// One element that is not finite, the last of many.
void searched(Builder& b, double last) {
  std::vector<double> values(20003, 1);
  values.back() = last;
  const Value x = b.input("x", {5}), z = b.input("z", {20003}, list(values));
  b.check("found", any_nonfinite(b.graph, {x, z, x}));
}

Case exact(const char* name, std::function<void(Builder&)> build) {
  return {.name = std::string("large/") + name, .build = std::move(build), .fill = integers(1)};
}

/// Statistics are sums of thousands of terms of both signs.
Case rounded(const char* name, std::function<void(Builder&)> build) {
  return {.name = std::string("large/") + name,
          .build = std::move(build),
          .fill = reals(-2, 2),
          .tolerance = {.ulps = 8, .epsilons = 64},
          .gradient_tolerance = Allowance{.ulps = 64, .epsilons = 8000}};
}

}  // namespace

std::vector<Case> large_cases() {
  return {
      exact("sum-images",
            [](Builder& b) {
              summed(b, {48, 24, 20, 20}, 0b1101);
            }),
      exact("sum-wide-rows",
            [](Builder& b) {
              summed(b, {50, 9001}, 0b01);
            }),
      exact("sum-all",
            [](Builder& b) {
              summed(b, {33, 7, 31, 29}, 0b1111);
            }),
      exact("sum-each-row",
            [](Builder& b) {
              summed(b, {3001, 67}, 0b10);
            }),
      exact("broadcast-pixels",
            [](Builder& b) {
              broadcast_add(b, {40, 24, 20, 20}, {40, 1, 20, 20});
            }),
      exact("broadcast-images",
            [](Builder& b) {
              broadcast_add(b, {40, 24, 20, 20}, {40, 24, 1, 1});
            }),
      exact("broadcast-columns",
            [](Builder& b) {
              broadcast_add(b, {50, 9001}, {1, 9001});
            }),
      exact("broadcast-rows",
            [](Builder& b) {
              broadcast_add(b, {50, 9001}, {50, 1});
            }),
      exact("few-rows", few_rows),
      exact("reshape",
            [](Builder& b) {
              reshaped(b, {9, 32, 8, 8});
            }),
      exact("reshape-odd",
            [](Builder& b) {
              reshaped(b, {5, 29, 7, 9});
            }),
      exact("convolution",
            [](Builder& b) {
              convolved(b, {256, 16, 14, 14}, 16);
            }),
      exact("convolution-one-channel",
            [](Builder& b) {
              convolved(b, {128, 1, 28, 28}, 16);
            }),
      exact("shared-weight", [](Builder& b) { two_batches(b, 17, 300, 260); }),
      exact("search", [](Builder& b) { searched(b, std::numeric_limits<double>::infinity()); }),
      // A handful of roundings over three runs.
      {.name = "large/updated", .build = updated, .tolerance = {.ulps = 6, .epsilons = 0.1}, .runs = 3},
      // Sums of 300 products of size 1; a parameter may round either way.
      {.name = "large/trained",
       .build = trained,
       .fill = reals(-1, 1),
       .tolerance = {.ulps = 64, .epsilons = 64, .storage = 8},
       .runs = 3},
      rounded("norm-images",
              [](Builder& b) {
                normalised(b, {48, 24, 20, 20});
              }),
      rounded("norm-wide-rows",
              [](Builder& b) {
                normalised(b, {50, 9001});
              }),
      rounded("norm-few-rows",
              [](Builder& b) {
                normalised(b, {2, 9001});
              }),
  };
}

}  // namespace halfling::conformance
