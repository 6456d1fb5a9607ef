// SPDX-License-Identifier: Apache-2.0
// Losses that contain a gradient: gradient_of in forward graphs, through precision policies and loss scales.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "graph/passes.hpp"
#include "halfling/error.hpp"
#include "halfling/gradient.hpp"
#include "kept_gradients.hpp"

using namespace halfling;
using namespace halfling::test;

namespace {

using Body = std::function<Value(Graph&, const BatchSpec&)>;

/// One phase with one operation, "n", of the loss that a test writes.
class OneLoss : public LossesOnly {
 public:
  explicit OneLoss(Body body) : body_(std::move(body)) {}
  std::vector<Phase> training(const BatchSpec& spec) const override {
    std::vector<Phase> phases(1);
    phases[0].name = "only";
    const Scope scope(phases[0].graph, "n.loss");
    const Value loss = body_(phases[0].graph, spec);
    phases[0].operations = {{"n", loss, {"n."}}};
    return phases;
  }

 private:
  Body body_;
};

constexpr Initial weights{Initial::Kind::normal, 0.25};

Value flat(Value x) {
  return reshape(x, {x.shape()[0], x.shape().elements() / x.shape()[0]});
}

/// Scores [N,1]. Smooth where a second derivative should not vanish.
Value critic(Value x, bool smooth) {
  const auto bent = [&](Value h) { return smooth ? tanh(h) : leaky_relu(h, 0.25); };
  Value h = bent(nn::conv2d(x, "n.conv", 4, 3, 2, 1, weights));
  h = bent(nn::linear(flat(h), "n.fc", 8));
  return nn::linear(h, "n.score", 1);
}

/// Gulrajani et al. 2017; images and their negatives in place of real and generated ones.
Value wgan_gp(Graph& graph, const BatchSpec& spec) {
  const Value real = images_input(graph, spec), fake = 1.0 - real;
  const Value between = 0.75 * real + 0.25 * fake;
  const Value g = gradient_of(critic(between, false), between);
  const Value off = sqrt(sum(g * g, 0b1110)) + -1.0;
  return 0x1p-4 * (mean(critic(fake, false)) - mean(critic(real, false)) + mean(off * off));
}

/// Mescheder et al. 2018.
Value r1(Graph& graph, const BatchSpec& spec) {
  const Value x = images_input(graph, spec);
  const Value score = critic(x, true), g = gradient_of(score, x);
  return 0x1p-4 * (mean(sigmoid_cross_entropy(score, 1)) + mean(sum(g * g, 0b1110)));
}

/// Numbers of a normal distribution that stay: latent vectors, directions. (The images of Training are but
/// two.)
Value drawn(Graph& graph, const std::string& name, Shape shape) {
  return state(graph, {.name = name,
                       .dtype = DType::f32,
                       .shape = shape,
                       .initial = {Initial::Kind::normal, 1},
                       .role = StateRole::statistic});
}

Value mapped(Value w, std::int64_t width) {
  return tanh(nn::batch_norm(nn::linear(w, "n.fc", width), "n.bn", {}, nn::Mode::training));
}

/// Karras et al. 2020, with a batch norm on the way.
Value path_length(Graph& graph, const BatchSpec& spec) {
  const Value w = drawn(graph, "latents", {spec.batch, 10});
  const Value images = nn::linear(mapped(w, 12), "n.out", 16);
  const Value g = gradient_of(0.25 * images * drawn(graph, "directions", {spec.batch, 16}), w);
  const Value off = sqrt(sum(g * g, 0b10)) + -0.5;
  return 0x1p-4 * mean(off * off);
}

/// The square of the gradient of the square of a gradient: batch norm's gradient, three times over.
Value nested(Graph& graph, const BatchSpec& spec) {
  const Value w = drawn(graph, "latents", {spec.batch, 10});
  const Value g = gradient_of(mapped(w, 6), w);
  const Value gg = gradient_of(g * g, w);
  return mean(gg * gg);
}

Kept kept(Body body, const char* policy, const char* scaler, Options scaler_options = {}) {
  Options options;
  if (policy == std::string("mixed")) options.set("half", std::string("fp16"));
  return Kept({.architecture = std::make_unique<OneLoss>(std::move(body)),
               .policy = make<PrecisionPolicy>(policy, std::move(options)),
               .scaler = make<LossScaler>(scaler, std::move(scaler_options))});
}

}  // namespace

TEST_CASE("losses that contain a gradient have, in float64, the gradients that finite differences have") {
  for (const auto& [name, body] : {std::pair<const char*, Body>{"WGAN-GP", wgan_gp},
                                   {"R1", r1},
                                   {"path length", path_length},
                                   {"nested", nested}}) {
    CAPTURE(std::string(name));
    Kept training = kept(body, "fp64", "none");
    CHECK(training.worst_difference("n") < 1e-6);
  }
}

TEST_CASE("under fp16 they equal float64's, whatever the loss scale") {
  // Every rounding to fp16 is at most 2^-11 of its value; the longest way has about ten of them, and sums
  // over a batch of 8 cancel a little.
  const double tolerance = 24 * 0x1p-11;
  for (const auto& [name, body] :
       {std::pair<const char*, Body>{"WGAN-GP", wgan_gp}, {"R1", r1}, {"path length", path_length}}) {
    CAPTURE(std::string(name));
    Kept exact = kept(body, "fp64", "none");
    exact.training.step();
    const std::vector<double> expected = exact.gradients("n");
    for (const double scale : {1.0, 0x1p8, 0x1p16}) {
      CAPTURE(scale);
      Kept mixed = kept(body, "mixed", "static", option("scale", scale));
      mixed.training.step();
      REQUIRE(mixed.training.output("skipped.n") == 0);
      const double off = distance(mixed.gradients("n"), expected);
      CHECK(off < tolerance);
      CHECK(off > 0);  // it did round
      CHECK(mixed.training.output("loss.n") ==
            doctest::Approx(exact.training.output("loss.n")).epsilon(0.01));
    }
  }
}

namespace {

/// R1 on scores of this size: of 2^-20 and 2^14 the gradients do not fit into fp16.
Body sized(double size) {
  return [size](Graph& graph, const BatchSpec& spec) {
    const Value x = images_input(graph, spec);
    const Value g = gradient_of(size * critic(size < 1 ? x : 0.25 * x, true), x);
    return 1 / size / size * mean(sum(g * g, 0b1110));
  };
}

}  // namespace

TEST_CASE(
    "the inner gradient is scaled into the range of fp16 within a few iterations, and the result is the "
    "same") {
  for (const auto& [size, loss_scale] : {std::pair{0x1p-20, 1.0}, {0x1p10, 0x1p10}}) {
    CAPTURE(size);
    Kept exact = kept(sized(size), "fp64", "none");
    Kept mixed = kept(sized(size), "mixed", "static", option("scale", loss_scale));
    exact.training.step();
    CHECK(exact.training.graph().find_state("n.loss.gradient_scale") == nullptr);
    mixed.training.step(4);
    const double scale = mixed.training.state("n.loss.gradient_scale")[0];
    CHECK((size < 1 ? scale >= 0x1p8 : scale <= 0x1p-4));
    CHECK(mixed.training.output("skipped.n") == 0);
    CHECK(distance(mixed.gradients("n"), exact.gradients("n")) < 24 * 0x1p-11);
  }
}

TEST_CASE("bf16 and wider formats have the range of f32: nothing is scaled") {
  Options options;
  options.set("half", std::string("bf16"));
  const Graph graph = apply_precision(OneLoss(r1).training({8, {1, 8, 8}, 3})[0].graph,
                                      *make<PrecisionPolicy>("mixed", options))
                          .graph;
  CHECK(graph.find_state("n.loss.gradient_scale") == nullptr);
}

TEST_CASE("at a zero gradient a penalty of the norm is finite, and its own gradient is zero by convention") {
  const Body body = [](Graph& graph, const BatchSpec& spec) {
    const Value x = images_input(graph, spec);
    const Value g = gradient_of(critic(x, true), x);
    const Value off = sqrt(sum(g * g, 0b1110)) + -1.0;
    return mean(off * off);
  };
  for (const char* policy : {"fp64", "fp32", "mixed"}) {
    CAPTURE(policy);
    for (const double scale : {1.0, 0x1p16}) {
      Kept training = kept(body, policy, "static", option("scale", scale));
      for (const State& state : training.training.graph().states())
        if (state.role == StateRole::parameter) training.training.fill(state.name, 0);
      training.training.step();
      CHECK(training.training.output("loss.n") == 1);
      CHECK(training.training.output("skipped.n") == 0);
      for (const double value : training.gradients("n")) CHECK(value == 0);
    }
  }
}

TEST_CASE("a value that is no function of the other one is refused, with the way out") {
  const OneLoss detached([](Graph& graph, const BatchSpec& spec) {
    const Value x = images_input(graph, spec);
    return mean(gradient_of(critic(detach(x), true), x));
  });
  try {
    apply_precision(detached.training({8, {1, 8, 8}, 3})[0].graph, *make<PrecisionPolicy>("fp32"));
    FAIL("it was accepted");
  } catch (const Error& error) {
    CHECK(error.details().what == "gradient_of has nothing to differentiate");
    CHECK(error.details().where == "n.loss");
    CHECK(error.details().kind == ErrorKind::usage);
  }
}

TEST_CASE("what has no gradient says what to do instead") {
  const auto message = [](Body body) {
    const OneLoss architecture(std::move(body));
    try {
      apply_precision(architecture.training({8, {1, 8, 8}, 3})[0].graph, *make<PrecisionPolicy>("fp32"));
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(message([](Graph& graph, const BatchSpec& spec) {
          const Value x = images_input(graph, spec);
          const Value gamma = nn::parameter(graph, "n.gamma", {1}, {}),
                      beta = nn::parameter(graph, "n.beta", {1}, {});
          const NodeId norm = graph.append(Op::batch_norm, {x, gamma, beta}, EpsilonAttributes{});
          return mean(gradient_of({&graph, graph.node(norm).results[1]}, x));
        }).find("detach() the statistics, or make them of sums") != std::string::npos);
  Graph graph;
  const Value x{&graph, graph.input("x", DType::f32, {4})};
  const std::vector<ValueId> losses{mean(gradient_of(x * x, x))}, seeds{constant(graph, 1)}, targets{x};
  CHECK_THROWS_WITH_AS(gradient(graph, losses, seeds, targets),
                       doctest::Contains("apply the precision pass first"), Error);
}
