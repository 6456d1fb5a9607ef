// SPDX-License-Identifier: Apache-2.0
// Pain 6 of tests/README.md: a gradient penalty in mixed precision (R1, WGAN-GP), which differentiates twice.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "halfling/gradient.hpp"
#include "training.hpp"

using namespace halfling;
using namespace halfling::test;

namespace {

constexpr std::int64_t batch = 8;
constexpr double epsilon = 1e-12;  // under the root
constexpr double weight = 1.0 / 16;

/// The mean score of images: conv2d, leaky_relu, matmul. Its weights are w1 and w2.
Graph critic() {
  Graph graph;
  const Value x{&graph, graph.input("x", DType::f32, {batch, 1, 6, 6})};
  const auto parameter = [&](const char* name, Shape shape) {
    return state(
        graph,
        {.name = name, .dtype = DType::f32, .shape = shape, .initial = {}, .role = StateRole::parameter});
  };
  const Value h = leaky_relu(conv2d(x, parameter("w1", {3, 1, 3, 3}), 1, 1), 0.25);
  graph.output("score", mean(matmul(reshape(h, {batch, 108}), parameter("w2", {108, 1}))));
  return graph;
}

/// Outputs "penalty", its gradients "w1" and "w2", and "norm": the first backward pass is scaled, unscaled in
/// f32, the penalty is made in f32, and its own backward pass is scaled.
Graph penalty_graph(const char* policy, double scale) {
  Options options;
  if (policy == std::string("mixed")) options.set("half", std::string("fp16"));
  Graph graph = apply_precision(critic(), *make<PrecisionPolicy>(policy, std::move(options))).graph;
  const std::vector<ValueId> score{graph.outputs()[0].value}, seeds{constant(graph, scale)},
      images{graph.inputs()[0].value}, weights{graph.find_state("w1")->first, graph.find_state("w2")->first};
  const Value scaled{&graph, gradient(graph, score, seeds, images)[0]};
  const Value g = batch / scale * scaled;  // each sample's own gradient: the score is a mean
  const Value norm = sqrt(sum(g * g, 0b1110) + epsilon);
  const Value penalty = weight * mean((norm + -1.0) * (norm + -1.0));
  const std::vector<ValueId> gradients = gradient(graph, std::vector<ValueId>{penalty}, seeds, weights);
  graph.output("penalty", penalty);
  graph.output("norm", norm);
  graph.output("w1", 1 / scale * cast({&graph, gradients[0]}, DType::f32));
  graph.output("w2", 1 / scale * cast({&graph, gradients[1]}, DType::f32));
  return graph;
}

/// Positive numbers n/64 with n from `least` to `least` + 3, in a changing order.
std::vector<float> positive(std::size_t count, int least) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<float>(least + (i * i + i / 3) % 4) / 64;
  return values;
}

/// The penalty, the gradients of w1 and of w2, and the norms, for this w2.
std::vector<double> run(const std::string& backend_name, const Graph& graph, const std::vector<float>& w2) {
  const auto backend = make<Backend>(backend_name);
  const auto session = backend->open(0);
  const auto step = session->compile(graph);
  std::vector<float> x(batch * 36);
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = (i / 5 % 2 == 0 ? 1.0f : -1.0f) * static_cast<float>(1 + i % 7) / 8;
  const std::vector<float> w1 = positive(27, 4);
  session->write_state("w1", std::as_bytes(std::span(w1)));
  session->write_state("w2", std::as_bytes(std::span(w2)));
  step->write("x", std::as_bytes(std::span(x)));
  step->run();
  std::vector<double> all;
  for (const char* output : {"penalty", "w1", "w2", "norm"})
    for (const double value : read_numbers(*step, graph, output)) all.push_back(value);
  return all;
}

}  // namespace

TEST_CASE("pain 6: the gradient of a gradient penalty in mixed fp16 is that of f32 whatever the loss scale") {
  // The forward pass is exact: numbers of few bits. All weights are positive and every norm is under 1/2, so
  // nothing cancels, and relative errors add up. Roundings to fp16, each of at most 2^-11: g has 1; the
  // factor (norm - 1) / norm has 2, g times it 3, and 4 as it enters the half network again; the gradient of
  // w1 leaves it with 5, and that of w2, behind one contraction more, with 6.
  const double tolerance = 6.1 * 0x1p-11;
  const std::vector<float> w2 = positive(108, 1);
  for (const std::string& backend : backends()) {
    const std::vector<double> expected = run(backend, penalty_graph("fp32", 1), w2);
    REQUIRE(expected.size() == 1 + 27 + 108 + batch);
    CHECK(*std::max_element(expected.end() - batch, expected.end()) < 0.5);
    for (const double scale : {1.0, 0x1p8, 0x1p16}) {
      CAPTURE(backend);
      CAPTURE(scale);
      const std::vector<double> got = run(backend, penalty_graph("mixed", scale), w2);
      double worst = 0;
      for (std::size_t i = 0; i < got.size(); ++i) {
        REQUIRE(std::isfinite(got[i]));
        worst = std::max(worst, std::abs(got[i] / expected[i] - 1));
      }
      CHECK(worst <= tolerance);
      CHECK(worst > 0);  // it did round
    }
  }
}

TEST_CASE("pain 6: a gradient penalty of a zero gradient is finite, and so is its gradient") {
  for (const std::string& backend : backends()) {
    CAPTURE(backend);
    for (const double scale : {1.0, 0x1p8, 0x1p16}) {
      const std::vector<double> got = run(backend, penalty_graph("mixed", scale), std::vector<float>(108));
      CHECK(got[0] == doctest::Approx(weight).epsilon(1e-5));
      for (const double value : got) CHECK(std::isfinite(value));
    }
  }
}
