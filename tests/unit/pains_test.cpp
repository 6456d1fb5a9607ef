// SPDX-License-Identifier: Apache-2.0
// What users of mixed precision suffer, each pain as a test named after it. Others of the list are tested
// where they belong: tests/README.md says where.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "halfling/error.hpp"
#include "halfling/nn.hpp"
#include "scratch.hpp"
#include "training.hpp"

using namespace halfling;
using namespace halfling::test;

namespace {

constexpr float too_large = 0x1p60f;  // a loss scale at which every gradient overflows in fp16

bool all_finite(const std::vector<double>& values) {
  return std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
}

/// Two linear layers on the images; the gradients of the first are 2^12 times those of the second.
class TwoLosses : public LossesOnly {
 public:
  std::vector<Phase> training(const BatchSpec& spec) const override {
    std::vector<Phase> phases(1);
    Graph& graph = phases[0].graph;
    const Value x = reshape(images_input(graph, spec), {spec.batch, 64});
    const Value large = 4096.0 * mean(nn::linear(x, "large.fc", 1)),
                small = mean(nn::linear(x, "small.fc", 1));
    phases[0].name = "both";
    phases[0].operations = {{"large", large, {"large."}}, {"small", small, {"small."}}};
    return phases;
  }
};

/// A loss that is infinite in about half of the iterations, as its noise has it.
class SometimesInfinite : public LossesOnly {
 public:
  std::vector<Phase> training(const BatchSpec& spec) const override {
    std::vector<Phase> phases(1);
    Graph& graph = phases[0].graph;
    const Value zero = constant(graph, 0), one = constant(graph, 1);
    const Value divisor = select(less(noise_input(graph, "z", {}), constant(graph, 0.5)), zero, one);
    const Value x = reshape(images_input(graph, spec), {spec.batch, 64});
    phases[0].name = "only";
    phases[0].operations = {{"n", mean(nn::linear(x, "n.fc", 1)) + one / divisor, {"n."}}};
    return phases;
  }
  std::vector<Noise> noises() const override { return {{"z", 0, 1}}; }
};

Setup two_losses(ScalerScope scope) {
  return {
      .architecture = std::make_unique<TwoLosses>(),
      .scaler = make<LossScaler>("dynamic", option("interval", std::int64_t{5}, option("initial", 65536.0))),
      .optimizer = make<Optimizer>("sgd"),
      .scope = scope};
}

}  // namespace

TEST_CASE("pain 1: an overflow in one network skips what [loss_scaler] skip says, and nothing else") {
  for (const std::string& backend : backends()) {
    CAPTURE(backend);
    for (const bool together : {false, true}) {
      for (const std::string operation : {"d", "g", "q"}) {
        Training training({.backend = backend, .skip_together = together});
        training.set_state("scaler." + operation + ".scale", too_large);
        training.step();
        for (const std::string other : {"d", "g", "q"}) {
          CAPTURE(operation);
          CAPTURE(other);
          // d has updated before the phase of g and q begins
          const bool skipped = other == operation || (together && (operation == "d" || other != "d"));
          CHECK(training.output("skipped." + other) == skipped);
          CHECK(training.output("updates." + other) == !skipped);
          CHECK(training.output("found." + other) == (other == operation));
        }
      }
    }
  }
}

TEST_CASE("pain 2: one scale for two losses is too low for the smaller one, a scale for each is not") {
  Training own(two_losses(ScalerScope::operation)), shared(two_losses(ScalerScope::shared));
  own.step(150);
  shared.step(150);
  CHECK(own.output("scale.small") >= 512 * own.output("scale.large"));
  CHECK(shared.output("scale.small") == shared.output("scale.large"));
  CHECK(shared.output("scale.small") <= 4 * own.output("scale.large"));
}

TEST_CASE("pain 3: a scaler is updated once an iteration, however many operations there are") {
  Training shared({.scope = ScalerScope::shared});
  shared.step(7);
  CHECK(shared.state("scaler.clean_iterations") == std::vector{7.0});
  Training own({});
  own.step(7);
  for (const std::string operation : {"d", "g", "q"})
    CHECK(own.state("scaler." + operation + ".clean_iterations") == std::vector{7.0});
  // one operation's overflow resets a shared scaler once
  shared.set_state("scaler.scale", too_large);
  shared.step();
  CHECK(shared.output("scale.d") == double{too_large} / 2);
  CHECK(shared.state("scaler.clean_iterations") == std::vector{0.0});
}

TEST_CASE(
    "pain 4: a parameter that a loss does not reach is left alone, an operation without any is refused") {
  Training training({});
  CHECK(training.graph().find_state("optimizer.q.d.fc4.weight.m") == nullptr);
  CHECK(training.graph().find_state("optimizer.d.d.fc4.weight.m") != nullptr);
  class Unreached : public TwoLosses {
    std::vector<Phase> training(const BatchSpec& spec) const override {
      std::vector<Phase> phases = TwoLosses::training(spec);
      phases[0].operations[0].updates = {"small."};
      return phases;
    }
  };
  Setup setup = two_losses(ScalerScope::shared);
  setup.architecture = std::make_unique<Unreached>();
  CHECK(error_of([&] { Training refused(std::move(setup)); }).what ==
        "training operation large has nothing to update");
}

TEST_CASE("pain 5: no update forgets to unscale: a power of two as loss scale changes no bit in f32") {
  const auto trained = [](const std::string& backend, double scale, const char* optimizer) {
    Training training({.backend = backend,
                       .policy = make<PrecisionPolicy>("fp32"),
                       .scaler = make<LossScaler>("static", option("scale", scale)),
                       .optimizer = make<Optimizer>(optimizer)});
    training.step(3);
    std::vector<double> all;
    for (const char* network : {"d.", "g.", "c.", "optimizer."})
      for (const double value : training.states_with_prefix(network)) all.push_back(value);
    return all;
  };
  for (const std::string& backend : backends())
    for (const char* optimizer : {"sgd", "adam"})
      CHECK(trained(backend, 1, optimizer) == trained(backend, 1024, optimizer));
}

TEST_CASE("pain 7: a scale reaches neither zero nor infinity") {
  for (const std::string& backend : backends()) {
    CAPTURE(backend);
    Training falls({.backend = backend});
    falls.set_state("d.conv1.weight", INFINITY);  // no scale helps
    falls.step(30);
    CHECK(falls.output("scale.d") == 1);
    Training grows({.backend = backend,
                    .policy = make<PrecisionPolicy>("fp32"),
                    .scaler = make<LossScaler>("dynamic", option("interval", std::int64_t{1}))});
    grows.step(30);
    CHECK(grows.output("scale.d") == 0x1p24);
    CHECK(grows.output("skipped.d") == 0);
  }
}

TEST_CASE("pain 8: a forward value that is not finite is told from a gradient, with its layer") {
  for (const std::string& backend : backends()) {
    CAPTURE(backend);
    Training forward({.backend = backend});
    forward.set_state("d.conv2.weight", 1e6f);  // infinity in fp16
    forward.step();
    const auto value = forward.first_nonfinite();
    REQUIRE(value.has_value());
    CHECK(value->stage == Stage::forward);
    CHECK(value->value.find("d.conv2") != std::string::npos);
    Training backward({.backend = backend});
    backward.set_state("scaler.g.scale", too_large);
    backward.step();
    backward.set_state("scaler.g.scale", too_large);
    const auto gradient = backward.first_nonfinite();
    REQUIRE(gradient.has_value());
    CHECK(gradient->stage == Stage::backward);
  }
}

TEST_CASE("pain 8: the diagnosis sees the noise of the iteration that it explains") {
  int infinite = 0;
  for (int iterations = 1; iterations <= 12; ++iterations) {
    Training training({.architecture = std::make_unique<SometimesInfinite>()});
    training.step(iterations);
    const bool finite = std::isfinite(training.output("loss.n"));
    CHECK(training.first_nonfinite().has_value() == !finite);
    infinite += finite ? 0 : 1;
  }
  CHECK(infinite > 0);
  CHECK(infinite < 12);
}

TEST_CASE("pain 12: fp32 is not silently tf32") {
  const auto loss = [](const std::string& backend, const char* policy) {
    Training training(
        {.backend = backend, .policy = make<PrecisionPolicy>(policy), .scaler = make<LossScaler>("none")});
    training.step();
    return training.output("loss.d");
  };
  const double exact = loss("reference", "fp64"), tf32 = loss("reference", "tf32");
  for (const std::string& backend : backends()) {
    CAPTURE(backend);
    CHECK(std::abs(loss(backend, "fp32") - exact) < 1e-6 * exact);
  }
  CHECK(std::abs(tf32 - exact) > 1e-6 * exact);
  CHECK(std::abs(tf32 - exact) < 1e-2 * exact);
}

TEST_CASE("pain 13: batch statistics of large activations are right though their fp16 sum would overflow") {
  const auto mixed = make<PrecisionPolicy>("mixed", option("half", std::string("fp16")));
  Graph graph;
  const Value x{&graph, graph.input("x", DType::f32, {64, 1, 32, 32})};
  graph.output("y", nn::batch_norm(x, "bn", {.momentum = 1}, nn::Mode::training));
  graph = apply_precision(graph, *mixed).graph;
  std::vector<float> values(64 * 32 * 32);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = i % 2 == 0 ? 299 : 301;
  for (const std::string& name : backends()) {
    CAPTURE(name);
    const auto backend = make<Backend>(name);
    const auto session = backend->open(0);
    const auto step = session->compile(graph);
    for (const State& state : graph.states()) session->write_state(state.name, initial_value(state, 0));
    step->write("x", std::as_bytes(std::span(values)));
    step->run();
    float mean = 0, variance = 0;
    session->read_state("bn.running_mean", std::as_writable_bytes(std::span(&mean, 1)));
    session->read_state("bn.running_var", std::as_writable_bytes(std::span(&variance, 1)));
    CHECK(mean == doctest::Approx(300).epsilon(1e-5));
    CHECK(variance == doctest::Approx(1).epsilon(1e-2));
    const auto y = read_numbers(*step, graph, "y");
    CHECK(y[0] == doctest::Approx(-1).epsilon(1e-2));
    CHECK(y[1] == doctest::Approx(1).epsilon(1e-2));
  }
}

TEST_CASE("pain 14: extreme logits have finite losses, and Adam makes no step of a zero gradient") {
  const auto mixed = make<PrecisionPolicy>("mixed", option("half", std::string("fp16")));
  Graph graph;
  const Value x{&graph, graph.input("x", DType::f32, {5, 1})};
  graph.output("loss", sigmoid_cross_entropy(matmul(x, constant(graph, 1, {1, 1})), 1));  // of half logits
  graph = apply_precision(graph, *mixed).graph;
  const std::vector<float> logits{100, -100, 60000, -60000, 20};
  for (const std::string& name : backends()) {
    CAPTURE(name);
    const auto backend = make<Backend>(name);
    const auto session = backend->open(0);
    const auto step = session->compile(graph);
    step->write("x", std::as_bytes(std::span(logits)));
    step->run();
    const std::vector<double> losses = read_numbers(*step, graph, "loss");
    CHECK(losses[0] < 1e-30);
    CHECK(losses[1] == 100);
    CHECK(losses[2] == 0);
    CHECK(losses[3] == 60000);
    CHECK(std::abs(losses[4] / std::exp(-20) - 1) < 1e-3);  // zero in fp16

    Training training({.backend = name});
    training.set_state("d.conv1.weight", 0);  // its bias is 0, too: nothing flows to the images' layer
    training.set_state("d.conv2.weight", 0);
    training.step();
    CHECK(training.state("d.conv1.weight") ==
          std::vector<double>(training.state("d.conv1.weight").size(), 0));
    CHECK(all_finite(training.states_with_prefix("d.")));
  }
}

TEST_CASE("pain 15: a skipped update moves no weight, no moment and no step count, and poisons nothing") {
  for (const std::string& backend : backends())
    for (const char* optimizer : {"adam", "sgd"}) {
      CAPTURE(backend);
      CAPTURE(optimizer);
      const bool sgd = optimizer == std::string("sgd");
      Training training({.backend = backend,
                         .optimizer = make<Optimizer>(optimizer, sgd ? option("momentum", 0.9) : Options{})});
      training.step(2);
      const auto networks = [&] {
        std::vector<double> all;
        for (const State& state : training.graph().states())
          if (state.role == StateRole::parameter || state.role == StateRole::optimizer)
            for (const double value : training.state(state.name)) all.push_back(value);
        return all;
      };
      const std::vector<double> before = networks();
      for (int i = 0; i < 3; ++i) {
        for (const std::string operation : {"d", "g", "q"})
          training.set_state("scaler." + operation + ".scale", too_large);
        training.step();
        CHECK(training.output("skipped_in_a_row.q") == i + 1);
      }
      CHECK(networks() == before);
      for (const std::string operation : {"d", "g", "q"}) CHECK(training.output("updates." + operation) == 2);
      CHECK(training.output("found.q") == 3);
      for (const std::string network : {"d.", "g.", "c."})
        CHECK(all_finite(training.states_with_prefix(network)));
      for (const std::string operation : {"d", "g", "q"})
        training.set_state("scaler." + operation + ".scale", 1);
      training.step();
      CHECK(training.output("updates.g") == 3);
      CHECK(training.output("skipped_in_a_row.q") == 0);
      CHECK(networks() != before);
    }
}

TEST_CASE("pain 15: statistics of a batch that are not finite leave the running ones as they were") {
  for (const std::string& backend : backends()) {
    CAPTURE(backend);
    Training training({.backend = backend});
    training.step(2);
    const auto statistics = [&](const std::string& network) {
      std::vector<double> all;
      for (const State& state : training.graph().states())
        if (state.role == StateRole::statistic && state.name.starts_with(network))
          for (const double value : training.state(state.name)) all.push_back(value);
      return all;
    };
    const std::vector<double> of_d = statistics("d."), of_g = statistics("g.");
    training.set_state("d.conv1.weight", 1e6f);  // infinity in fp16, before every batch norm of D
    training.step();
    CHECK(!std::isfinite(training.output("loss.d")));
    CHECK(statistics("d.") == of_d);
    CHECK(statistics("g.") != of_g);  // G's are finite
    CHECK(all_finite(statistics("g.")));
  }
}
