// SPDX-License-Identifier: Apache-2.0
// Exponential moving averages of networks.
#include "iteration/average.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "halfling/error.hpp"
#include "training.hpp"

using namespace halfling;
using namespace halfling::test;

namespace {

Setup averaging(double decay) {
  Setup setup;
  setup.average.decay = decay;
  return setup;
}

constexpr const char* weight = "g.fc1.weight";
constexpr const char* statistic = "g.bn1.running_var";

}  // namespace

TEST_CASE("an average begins as its state and follows it, the faster the fewer updates were made") {
  for (const std::string& backend : backends()) {
    CAPTURE(backend);
    Setup setup = averaging(0.3);
    setup.backend = backend;
    Training training(std::move(setup));
    for (const char* name : {weight, statistic})
      CHECK(training.state(average_name(name)) == training.state(name));
    for (int t = 1; t <= 5; ++t) {
      std::vector<std::vector<double>> before;
      for (const char* name : {weight, statistic}) before.push_back(training.state(average_name(name)));
      training.step();
      CHECK(training.state("average.g.updates") == std::vector<double>{static_cast<double>(t)});
      const double kept = std::min(0.3, (1.0 + t) / (10.0 + t));  // 2/11, 3/12, 4/13: then 0.3
      std::size_t which = 0;
      for (const char* name : {weight, statistic}) {
        const std::vector<double> value = training.state(name), average = training.state(average_name(name));
        double error = 0, moved = 0;
        for (std::size_t i = 0; i < value.size(); ++i) {
          const double expected = before[which][i] + (1 - kept) * (value[i] - before[which][i]);
          error = std::max(error, std::abs(average[i] - expected));
          moved = std::max(moved, std::abs(average[i] - before[which][i]));
        }
        CHECK_MESSAGE(error <= 1e-7, name);
        CHECK_MESSAGE(moved > 1e-5, name);
        ++which;
      }
    }
  }
}

TEST_CASE("averages stay where every update of their network is skipped, and only there") {
  Training training(averaging(0.9));
  training.step();
  const std::vector<double> before = training.states_with_prefix("average.g.");
  for (const char* scale : {"scaler.g.scale", "scaler.q.scale"}) training.set_state(scale, 1e38f);
  training.step();
  REQUIRE(training.output("skipped.g") == 1);
  REQUIRE(training.output("skipped.q") == 1);
  CHECK(training.states_with_prefix("average.g.") == before);
  training.set_state("scaler.g.scale", 1e38f);
  training.set_state("scaler.q.scale", 1);
  training.step();
  REQUIRE(training.output("skipped.g") == 1);
  REQUIRE(training.output("skipped.q") == 0);
  CHECK(training.states_with_prefix("average.g.") != before);
  CHECK(training.state("average.g.updates") == std::vector<double>{2});
}

TEST_CASE("without a decay nothing is averaged, and a decay changes nothing but averages") {
  Training plain(averaging(0)), averaged(averaging(0.9));
  plain.step(3), averaged.step(3);
  std::size_t averages = 0;
  for (const State& state : averaged.graph().states()) {
    if (state.name.starts_with("average."))
      ++averages;
    else
      CHECK_MESSAGE(averaged.state(state.name) == plain.state(state.name), state.name);
  }
  CHECK(plain.graph().states().size() + averages == averaged.graph().states().size());
  CHECK(averages > 10);
}

TEST_CASE("sampling with averages is sampling, on other states") {
  const Setup setup = averaging(0.9);
  const Graph graph = build_sampling(*setup.architecture, *setup.policy, {3, {1, 8, 8}, 3});
  const std::vector<std::string> names = averaged_states(graph, setup.average);
  CHECK(std::ranges::find(names, statistic) != names.end());
  const Graph averaged = with_averages(graph, names);
  CHECK(averaged.nodes().size() == graph.nodes().size());
  CHECK(averaged.states().size() == graph.states().size());
  for (const State& state : graph.states()) {
    const State* average = averaged.find_state(average_name(state.name));
    REQUIRE_MESSAGE(average != nullptr, state.name);
    CHECK(average->shape == state.shape);
    CHECK(average->dtype == state.dtype);
  }
}

TEST_CASE("a network that sampling does not use is refused, with those that it does") {
  Setup setup = averaging(0.9);
  setup.average.networks = {"d."};
  CHECK_THROWS_WITH_AS(Training(std::move(setup)),
                       doctest::Contains("prefixes of the parameters that sampling uses: g."), Error);
}
