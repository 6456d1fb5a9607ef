// SPDX-License-Identifier: Apache-2.0
// Phases that are repeated within an iteration, and phases that do not run in every one.
#include <doctest/doctest.h>

#include <algorithm>

#include "halfling/error.hpp"
#include "iteration/noise.hpp"
#include "training.hpp"

using namespace halfling;
using namespace halfling::test;

namespace {

std::vector<Phase> phases_with(std::vector<std::int64_t> every) {
  std::vector<Phase> phases(every.size());
  for (std::size_t i = 0; i < every.size(); ++i) phases[i].every = every[i];
  return phases;
}

/// Three numbers, pulled towards what they see: "m" and "n" towards a batch's mean, "z" towards a random
/// number.
class Pulled : public LossesOnly {
 public:
  Pulled(std::int64_t repeat, std::int64_t every) : repeat_(repeat), every_(every) {}

  std::vector<Noise> noises() const override { return {Noise::normal("noise")}; }

  std::vector<Phase> training(const BatchSpec& spec) const override {
    std::vector<Phase> phases(3);
    for (const auto& [i, name] : {std::pair{0, "m"}, {1, "n"}, {2, "l"}}) {
      Phase& phase = phases[static_cast<std::size_t>(i)];
      phase.name = name;
      phase.operations = {
          {name, pull(name, mean(images_input(phase.graph, spec))), {std::string(name) + "."}}};
    }
    Graph& graph = phases[0].graph;
    phases[0].operations.push_back({"z", pull("z", reshape(noise_input(graph, "noise", {1}), {})), {"z."}});
    phases[0].repeat = repeat_;
    phases[2].every = every_;
    phases[2].operations[0].updates = {"n."};
    phases[2].operations[0].shares = "n";
    phases[2].operations[0].loss = pull("n", mean(images_input(phases[2].graph, spec)));
    return phases;
  }

 private:
  static Value pull(const std::string& name, Value to) {
    const Value p = nn::parameter(*to.graph, name + ".p", {}, {}), off = p - to;
    return 0.5 * (off * off);
  }

  std::int64_t repeat_, every_;
};

constexpr double rate = 0.25;

Training pulled(std::int64_t repeat, std::int64_t every, std::size_t variant = 0) {
  return Training({.architecture = std::make_unique<Pulled>(repeat, every),
                   .policy = make<PrecisionPolicy>("fp64"),
                   .scaler = make<LossScaler>("none"),
                   .optimizer = make<Optimizer>("sgd", option("learning_rate", rate)),
                   .variant = variant});
}

double mean_of(const std::vector<std::uint8_t>& images) {
  double sum = 0;
  for (const std::uint8_t pixel : images) sum += pixel / 255.0;
  return sum / static_cast<double>(images.size());
}

double number(std::span<const std::byte> bytes) {
  return to_numbers(bytes, DType::f32).front();
}

}  // namespace

TEST_CASE("which phases run is a function of the iteration alone; in the first one all do") {
  const Cycle both(phases_with({1, 4, 16}));
  CHECK(both.variants() == 3);
  CHECK(both.share_of(0) == 1.0 / 16);
  for (std::int64_t i = 0; i < 40; ++i) {
    const std::size_t variant = both.variant_of(i);
    CHECK(both.runs(variant, 0));
    CHECK(both.runs(variant, 1) == (i % 4 == 0));
    CHECK(both.runs(variant, 2) == (i % 16 == 0));
  }
  CHECK(Cycle(phases_with({1, 2, 3})).variants() == 4);
  CHECK(Rhythm{5, 16}.runs(0) == 0);
  CHECK(Rhythm{5, 16}.runs(1) == 5);
  CHECK(Rhythm{1, 16}.runs(17) == 2);
  CHECK_THROWS_WITH_AS(Cycle(phases_with({1, 1009, 1013, 1019})),
                       doctest::Contains("run together too seldom"), Error);
}

TEST_CASE(
    "each run of a repeated phase has a batch and noise of its own, and the other phases the last one's") {
  Training training = pulled(3, 1);
  training.step();
  double m = 0, z = 0, losses = 0;
  for (std::int64_t batch = 0; batch < 3; ++batch) {
    const double target = mean_of(training.images(batch));
    losses += 0.5 * (m - target) * (m - target);
    m -= rate * (m - target);
    const Noise noise = Noise::normal(batch == 0 ? "noise" : "noise#" + std::to_string(batch));
    z -= rate * (z - number(fixed_noise(noise, {1}, 1, 5)));
  }
  CHECK(training.state("m.p")[0] == doctest::Approx(m).epsilon(1e-6));
  CHECK(training.state("z.p")[0] == doctest::Approx(z).epsilon(1e-6));
  CHECK(training.output("loss.m") == doctest::Approx(losses / 3).epsilon(1e-6));
  CHECK(training.output("updates.m") == 3);
  const double last = mean_of(training.images(2));
  double n = rate * last;
  n -= rate * (n - last);  // once more, by the phase that shares its optimizer
  CHECK(training.state("n.p")[0] == doctest::Approx(n).epsilon(1e-6));
  CHECK(training.output("updates.n") == 1);
  CHECK(training.output("updates.l") == 1);
  CHECK(training.state("optimizer.n.steps")[0] == 2);
}

TEST_CASE("an iteration without a phase tells of its last run, and has no state that the whole one lacks") {
  const Training whole = pulled(1, 4);
  Training without = pulled(1, 4, 1);
  for (const State& state : without.graph().states()) {
    const State* same = whole.graph().find_state(state.name);
    REQUIRE(same != nullptr);
    CHECK(same->dtype == state.dtype);
    CHECK(same->shape == state.shape);
  }
  without.write("scaler.l.loss", {7});
  without.step(2);
  CHECK(without.output("loss.l") == 7);
  CHECK(without.output("updates.l") == 0);
  CHECK(without.output("skipped.l") == 0);
  CHECK(without.output("updates.n") == 2);
}

TEST_CASE("a scaler hears once of all runs, and not where none of its operations ran") {
  const auto scaled = [](std::size_t variant) {
    return Training(
        {.architecture = std::make_unique<Pulled>(3, 2),
         .policy = make<PrecisionPolicy>("fp32"),
         .scaler = make<LossScaler>("dynamic", option("initial", 8.0, option("interval", std::int64_t{1}))),
         .optimizer = make<Optimizer>("sgd"),
         .variant = variant});
  };
  Training whole = scaled(0), without = scaled(1);
  whole.step();
  without.step();
  for (const char* operation : {"m", "n", "l"}) CHECK(whole.output(std::string("scale.") + operation) == 16);
  CHECK(without.output("scale.n") == 16);
  CHECK(without.output("scale.l") == 8);
}
