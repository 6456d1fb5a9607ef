// SPDX-License-Identifier: Apache-2.0
// The numerics monitor on a network whose gradients are 2^-26 by construction: nothing in fp16, and something
// with a loss scale.
#include "train/monitor.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "halfling/error.hpp"
#include "halfling/nn.hpp"
#include "training.hpp"

using namespace halfling;
using namespace halfling::test;

namespace {

constexpr std::int64_t batch_size = 4;
constexpr std::int64_t pixels = 8;

/// Loss = 2^-26 sum of y, y = x W: the gradient of each y is 2^-26 times the loss scale, that of each weight
/// batch_size times as much for images of ones.
class TinyGradients : public LossesOnly {
 public:
  std::vector<Phase> training(const BatchSpec& spec) const override {
    Phase phase{"only", {}, {}};
    Graph& graph = phase.graph;
    const Value x = reshape(images_input(graph, spec), {spec.batch, pixels});
    Scope scope(graph, "n.fc");
    const Value w = state(graph, {.name = "n.fc.weight",
                                  .dtype = DType::f32,
                                  .shape = {pixels, 3},
                                  .initial = {},
                                  .role = StateRole::parameter});
    const Value y = matmul(x, w);
    const Value loss = 0x1p-26 * reshape(sum(y, 0b11), {});
    phase.operations = {{"n", loss, {"n."}}};
    std::vector<Phase> phases;
    phases.push_back(std::move(phase));
    return phases;
  }
};

struct Seen {
  std::vector<Observation> observations;
  std::vector<float> weights;  ///< after one iteration

  const Observation& of(const std::string& kind) const {
    return *std::ranges::find(observations, kind, &Observation::kind);
  }
};

/// One iteration on the reference backend in fp16 with images of one brightness, looked at before it runs.
Seen look(const char* scaler_name, Options scaler_options = {}, std::uint8_t brightness = 255) {
  const TinyGradients architecture;
  const auto policy = make<PrecisionPolicy>("mixed", option("half", std::string("fp16")));
  const auto scaler = make<LossScaler>(scaler_name, std::move(scaler_options));
  const auto optimizer = make<Optimizer>("sgd");
  const auto backend = make<Backend>("reference");
  IterationRequest request{.architecture = &architecture,
                           .policy = policy.get(),
                           .scaler = scaler.get(),
                           .optimizers = {},
                           .optimizer = optimizer.get(),
                           .spec = {batch_size, {1, 2, 4}, 1}};
  const IterationGraph iteration = build_iteration(request);
  request.observe = true;
  const auto session = backend->open(0);
  const auto step = session->compile(iteration.graph);
  Monitor monitor(*session, build_iteration(request), {"gradients"}, DType::f16);
  for (const State& state : iteration.graph.states()) {
    const float initial = static_cast<float>(state.initial.value);
    if (state.name.ends_with("scale"))
      session->write_state(state.name, std::as_bytes(std::span(&initial, 1)));
  }
  const std::vector<std::uint8_t> images(static_cast<std::size_t>(batch_size * pixels), brightness);
  const std::vector<std::int32_t> labels(static_cast<std::size_t>(batch_size), 0);
  const Batch batch{images, labels, 0, 0};
  Seen seen{monitor.observe(batch), std::vector<float>(3 * pixels)};
  const auto weights = std::as_writable_bytes(std::span(seen.weights));
  session->read_state("n.fc.weight", weights);
  CHECK(std::ranges::count(seen.weights, 0.0f) == 3 * pixels);  // looking changes nothing
  step->write("images", std::as_bytes(batch.images));
  step->write("labels", std::as_bytes(batch.labels));
  step->run();
  session->read_state("n.fc.weight", weights);
  return seen;
}

}  // namespace

TEST_CASE("fp16 without a loss scale loses gradients of 2^-26, and the monitor says so") {
  const Seen seen = look("none");
  REQUIRE(seen.observations.size() == 2);
  const Observation& layer = seen.of("activation gradient");
  CHECK(layer.value == "n.fc");
  CHECK(layer.operation == "n");
  CHECK(layer.format == DType::f16);
  CHECK(layer.loss_scale == 1);
  CHECK(layer.exact.of_exponent(-26) == 3 * batch_size);
  CHECK(layer.exact.shares(DType::f16).underflow == 1);
  CHECK(layer.stored_zeros == 3 * batch_size);
  const Observation& weight = seen.of("gradient");
  CHECK(weight.value == "n.fc.weight");
  CHECK(weight.stored_zeros == 3 * pixels);
  CHECK(std::ranges::count(seen.weights, 0.0f) == 3 * pixels);
}

TEST_CASE("a scale of 128 and a dynamic one keep them") {
  const auto kept = [](const Seen& seen, double scale) {
    const int shift = std::ilogb(scale);
    const Observation& layer = seen.of("activation gradient");
    CHECK(layer.loss_scale == scale);
    CHECK(layer.exact.of_exponent(-26 + shift) == 3 * batch_size);
    CHECK(layer.exact.shares(DType::f16).underflow == 0);
    CHECK(layer.stored_zeros == 0);
    const Observation& weight = seen.of("gradient");
    CHECK(weight.exact.of_exponent(-24 + shift) == 3 * pixels);  // four samples are added
    CHECK(weight.stored_zeros == 0);
    CHECK(std::ranges::count(seen.weights, 0.0f) == 0);
  };
  kept(look("static", option("scale", 128.0)), 128);
  kept(look("dynamic", option("initial", 65536.0)), 65536);
}

TEST_CASE("a gradient of a weight is counted as it was before its own rounding, and as it is after it") {
  const Seen seen = look("static", option("scale", 16.0), 1);  // pixels of 1/255, just over 2^-8
  CHECK(seen.of("activation gradient").stored_zeros == 0);     // 2^-22
  const Observation& weight = seen.of("gradient");             // four times 2^-22 / 255
  CHECK(weight.format == DType::f16);
  CHECK(weight.exact.of_exponent(-28) == 3 * pixels);
  CHECK(weight.exact.shares(DType::f16).underflow == 1);
  CHECK(weight.stored_zeros == 3 * pixels);
  CHECK(std::ranges::count(seen.weights, 0.0f) == 3 * pixels);
}

TEST_CASE("a pattern that matches nothing is refused with a near name") {
  const TinyGradients architecture;
  const auto policy = make<PrecisionPolicy>("fp32");
  const auto scaler = make<LossScaler>("none");
  const auto optimizer = make<Optimizer>("sgd");
  const IterationGraph iteration = build_iteration({.architecture = &architecture,
                                                    .policy = policy.get(),
                                                    .scaler = scaler.get(),
                                                    .optimizers = {},
                                                    .optimizer = optimizer.get(),
                                                    .spec = {batch_size, {1, 2, 4}, 1},
                                                    .observe = true});
  CHECK_THROWS_WITH_AS(build_monitor(iteration, {"gradient"}), doctest::Contains("gradients"), Error);
  CHECK(build_monitor(iteration, {"n.*"}).values.size() == 3);
  CHECK(build_monitor(iteration, {"activations"}).values.size() == 1);
  const MonitorGraph monitor = build_monitor(iteration, {"n.*"});
  for (const State& state : monitor.graph.states()) CHECK(state.latest == state.first);
}
