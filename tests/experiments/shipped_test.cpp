// SPDX-License-Identifier: Apache-2.0
// Every experiment that is installed resolves with the plugins as built, without a note, and its resolved
// trials to themselves.
#include <doctest/doctest.h>
#include <unistd.h>

#include <fstream>
#include <regex>
#include <set>

#include "../unit/scratch.hpp"
#include "experiment/experiment.hpp"
#include "plugin/registry.hpp"

using namespace halfling;

namespace {

const std::filesystem::path experiments = HALFLING_EXPERIMENTS;
constexpr const char* shipped[] = {HALFLING_SHIPPED};

}  // namespace

TEST_CASE("the shipped experiments resolve, and their resolved trials to themselves") {
  const Registry registry = Registry::scan_only({HALFLING_PLUGINS});
  const auto copy =
      std::filesystem::temp_directory_path() / ("halfling-shipped-" + std::to_string(::getpid()) + ".toml");
  for (const std::string name : shipped) {
    CAPTURE(name);
    const LoadedExperiment loaded = load_experiment({experiments / name, {}}, registry);
    CHECK(loaded.notes.empty());
    for (const Experiment& trial : loaded.trials) {
      std::ofstream(copy) << trial.toml;
      const LoadedExperiment again = load_experiment({copy, {}}, registry);
      CHECK(again.trials.size() == 1);
      CHECK(again.trials.front().id == trial.id);
      CHECK(again.trials.front().toml == trial.toml);
    }
  }
  std::filesystem::remove(copy);
}

TEST_CASE("every experiment that the README links to is installed") {
  const std::string readme = test::read_file(experiments / "README.md");
  const std::regex link(R"(\]\(([^):/]+\.toml)\))");
  std::set<std::string> linked;
  for (std::sregex_iterator found(readme.begin(), readme.end(), link), end; found != end; ++found)
    linked.insert((*found)[1]);
  CHECK(linked == std::set<std::string>(std::begin(shipped), std::end(shipped)));
}

TEST_CASE("the quickstart compares two policies and nothing else") {
  const Registry registry = Registry::scan_only({HALFLING_PLUGINS});
  const auto file = experiments / "quickstart.toml";
  const auto trials = load_experiment({file, {}}, registry).trials;
  REQUIRE(trials.size() == 2);
  CHECK(trials[0].label == "precision.use=fp32");
  CHECK(trials[1].label == "precision.use=mixed");
  for (std::size_t i = 0, j = 0; i < trials[0].origins.size(); ++i, ++j) {
    while (trials[1].origins[j].key.starts_with("precision.") && trials[1].origins[j].key != "precision.use")
      ++j;
    CHECK(trials[0].origins[i].key == trials[1].origins[j].key);
    if (trials[0].origins[i].key != "precision.use")
      CHECK(trials[0].origins[i].value == trials[1].origins[j].value);
  }
  CHECK(trials[0].optimizer_for("g").options.number("learning_rate") == 1e-3);
  CHECK(trials[0].optimizer_for("d").options.number("learning_rate") == 2e-4);
}
