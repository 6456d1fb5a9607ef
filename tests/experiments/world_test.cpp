// SPDX-License-Identifier: Apache-2.0
// Who writes the files of a run.
#include <doctest/doctest.h>

#include "program.hpp"
#include "train/run_trial.hpp"

using namespace halfling;
using namespace halfling::test;
namespace fs = std::filesystem;

namespace {

Summary train(const Bench& bench, World world, const std::string& setting = "checkpoint.every=\"6it\"") {
  static const Registry registry = Registry::scan({HALFLING_TEST_PLUGINS});
  const LoadedExperiment loaded = load_experiment({bench.file(), {setting}}, registry);
  Progress progress(Progress::Mode::quiet);
  return run_trial(loaded.trials.front(), registry, RunFolder(bench.out(), loaded.trials.front()), progress,
                   false, {}, world);
}

}  // namespace

TEST_CASE("of two processes the first writes the run's folder, the other trains and writes nothing") {
  const Bench bench;
  const Summary second = train(bench, {1, 2});
  CHECK(second.status == "done");
  CHECK(second.iterations == 12);
  CHECK_FALSE(fs::exists(bench.out()));

  const Summary first = train(bench, {0, 2});
  CHECK(first.status == "done");
  CHECK(fs::exists(bench.folders().at(0) / "summary.json"));
  CHECK(fs::exists(bench.folders().at(0) / "checkpoints/12.safetensors"));
  CHECK(first.operations.at(0).loss != second.operations.at(0).loss);
}

TEST_CASE("a budget of samples counts those of all processes") {
  const Bench bench;
  CHECK(train(bench, {1, 2}, "budget.samples=64").iterations == 4);
}
