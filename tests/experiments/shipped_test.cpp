// SPDX-License-Identifier: Apache-2.0
// Every file of experiments/ resolves with the plugins as built, without a note, and its resolved trials to
// themselves.
#include <doctest/doctest.h>
#include <unistd.h>

#include <fstream>

#include "experiment/experiment.hpp"
#include "plugin/registry.hpp"

using namespace halfling;

TEST_CASE("the shipped experiments resolve, and their resolved trials to themselves") {
  const Registry registry = Registry::scan_only({HALFLING_PLUGINS});
  const auto copy =
      std::filesystem::temp_directory_path() / ("halfling-shipped-" + std::to_string(::getpid()) + ".toml");
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(HALFLING_EXPERIMENTS)) {
    if (entry.path().extension() != ".toml") continue;
    CAPTURE(entry.path().string());
    const LoadedExperiment loaded = load_experiment({entry.path(), {}}, registry);
    CHECK(loaded.notes.empty());
    for (const Experiment& trial : loaded.trials) {
      std::ofstream(copy) << trial.toml;
      const LoadedExperiment again = load_experiment({copy, {}}, registry);
      CHECK(again.trials.size() == 1);
      CHECK(again.trials.front().id == trial.id);
      CHECK(again.trials.front().toml == trial.toml);
    }
    ++count;
  }
  std::filesystem::remove(copy);
  CHECK(count >= 3);
}

TEST_CASE("the quickstart compares two policies and nothing else") {
  const Registry registry = Registry::scan_only({HALFLING_PLUGINS});
  const auto file = std::filesystem::path(HALFLING_EXPERIMENTS) / "quickstart.toml";
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
  CHECK(trials[0].optimizer_options("g").number("learning_rate") == 1e-3);
  CHECK(trials[0].optimizer_options("d").number("learning_rate") == 2e-4);
}
