// SPDX-License-Identifier: Apache-2.0
// Experiments with transforms: one that is random, and one that changes the shape.
#include <doctest/doctest.h>

#include "program.hpp"

using namespace halfling;
using namespace halfling::test;
namespace fs = std::filesystem;
using nlohmann::json;

namespace {

const std::string flip = "\n[[transform]]\nuse = \"flip\"\n";
const std::string crop = "\n[[transform]]\nuse = \"crop\"\nsize = 8\n";

/// The small experiment with transforms, and the folder of the plugin that only tests have.
struct Transformed {
  Bench bench;
  explicit Transformed(const std::string& transforms) {
    write_file(bench.file(), small_experiment() + transforms);
  }
  static Words with_plugins(Words words) {
    words.insert(words.end(), {"--plugin-path", HALFLING_TEST_PLUGINS});
    return words;
  }
  Outcome run(Words more = {}) const {
    const Outcome outcome = bench.run(with_plugins(std::move(more)));
    CAPTURE(outcome.err);
    CHECK(outcome.status == 0);
    return outcome;
  }
  Outcome call(const std::string& command, Words more = {}) const {
    more.insert(more.begin(), {command, bench.file()});
    return test::call(bench.scratch(), with_plugins(std::move(more)));
  }
  std::string last_state() const {
    REQUIRE(bench.folders().size() == 1);
    return last_checkpoint(bench.folders().front(), 12);
  }
};

}  // namespace

TEST_CASE("transforms change what is learned, and the number of workers does not") {
  const Words bare{"--quiet"}, four{"--quiet", "--set", "input.workers=4"};
  const Transformed plain(""), one(flip), other(flip), twice(flip + flip + "name = \"again\"\n");
  plain.run(bare);
  one.run(bare);
  twice.run(bare);
  other.run(four);
  CHECK(plain.last_state() != one.last_state());
  CHECK(twice.last_state() != one.last_state());
  const json a = read_json(one.bench.folders().front() / "summary.json");
  const json b = read_json(other.bench.folders().front() / "summary.json");
  CHECK(a["operations"] == b["operations"]);
}

TEST_CASE("a run with transforms continues exactly") {
  const Transformed transformed(flip + "probability = 0.4\n");
  const Words settings{"--quiet", "--set", "checkpoint.every=\"6it\"", "--set", "checkpoint.keep=5"};
  transformed.run(settings);
  const std::string straight = transformed.last_state();
  const fs::path run = transformed.bench.folders().front();
  fs::remove(run / "checkpoints/12.safetensors");
  fs::remove(run / "summary.json");
  Words again = settings;
  again.push_back("--resume");
  transformed.run(again);
  CHECK(transformed.last_state() == straight);
}

TEST_CASE("a transform changes the shape of all that follows") {
  const Transformed transformed(crop);
  const Words larger{"--set", "dataset.size=12"};
  const Outcome planned = transformed.call("plan", {"--format", "json", "--set", "dataset.size=12"});
  CAPTURE(planned.err);
  REQUIRE(planned.status == 0);
  const json plan = json::parse(planned.out)["plan"];
  CHECK(plan["data"]["image"] == json{1, 8, 8});
  CHECK(plan["data"]["transforms"] == json{"crop"});
  CHECK(contains(transformed.call("plan", larger).out, "60 samples of [1, 8, 8] (after crop) in 3 classes"));
  transformed.run({"--quiet", "--set", "dataset.size=12"});
  const fs::path run = transformed.bench.folders().front();
  CHECK(fs::exists(run / "samples/00000012.png"));
  const json plugins = read_json(run / "environment.json")["plugins"];
  CHECK(std::ranges::any_of(plugins,
                            [](const json& p) { return p["kind"] == "transform" && p["name"] == "crop"; }));
  // The run folder says what it is.
  const Outcome drawn =
      test::call(transformed.bench.scratch(),
                 Transformed::with_plugins(
                     {"sample", run.string(), "--out", (transformed.bench.scratch() / "grid.png").string()}));
  CAPTURE(drawn.err);
  CHECK(drawn.status == 0);
  CHECK(contains(read_file(run / "experiment.toml"), "[[transform]]\nuse = \"crop\"\nsize = 8\n"));
}

TEST_CASE("a transform that does not fit is told before anything runs, at its option") {
  const Transformed transformed(flip + crop + "name = \"window\"\n");
  const Outcome outcome = transformed.call("plan", {"--set", "transform.window.size=9"});
  CHECK(outcome.status == 2);
  CHECK(
      contains(outcome.err, "error[E020]: \"transform.window.size\": the window is larger than the samples"));
  CHECK(contains(outcome.err, "expected: at most 8"));
  write_file(transformed.bench.file(), small_experiment() + "\n[[transform]]\nuse = \"crop\"\nsize = 99\n");
  const Outcome in_file = transformed.call("run", {"--out", transformed.bench.out()});
  CHECK(in_file.status == 2);
  CHECK(contains(in_file.err, "small.toml:46:8: error[E020]: \"transform.crop.size\""));
  CHECK(transformed.bench.folders().empty());
}

TEST_CASE(
    "normalize changes what the networks see, and grids are drawn in its range, also from a checkpoint") {
  const std::string normalize = "\n[[transform]]\nuse = \"normalize\"\n";
  const Transformed plain(""), ranged(normalize), same(normalize + "mean = [0]\ndeviation = [1]\n");
  for (const Transformed* each : {&plain, &ranged, &same}) each->run({"--quiet"});
  const auto losses = [](const Transformed& t) {
    return read_json(t.bench.folders().front() / "summary.json")["operations"];
  };
  CHECK(losses(plain) != losses(ranged));
  CHECK(losses(plain) == losses(same));
  const fs::path run = ranged.bench.folders().front();
  const std::string out = (ranged.bench.scratch() / "grid.png").string();
  const Outcome drawn = test::call(ranged.bench.scratch(), {"sample", run.string(), "--out", out});
  CAPTURE(drawn.err);
  REQUIRE(drawn.status == 0);
  CHECK(read_file(out) == read_file(run / "samples/00000012.png"));
}

TEST_CASE("extends, --set and a sweep reach a transform; explain, diff and the run's label tell") {
  const Transformed transformed(flip);
  const std::string child = (transformed.bench.scratch() / "child.toml").string();
  write_file(child,
             "extends = [\"small.toml\"]\n[[transform]]\nuse = \"flip\"\nprobability = 0.25\n"
             "[sweep.matrix]\n\"transform.flip.probability\" = [0, 1]\n");
  const auto of_child = [&](const std::string& command, Words more) {
    more.insert(more.begin(), {command, child});
    return test::call(transformed.bench.scratch(), std::move(more));
  };
  const Outcome trials = of_child("run", {"--list-trials"});
  CHECK(contains(trials.out, "transform.flip.probability=0"));
  const Outcome explained =
      of_child("explain", {"transform.flip", "--format", "json", "--set", "transform.flip.probability=0.75"});
  CAPTURE(explained.err);
  REQUIRE(explained.status == 0);
  CHECK(contains(explained.err, "\"transform.flip.probability\" is not swept: --set #1 sets it"));
  const json values = json::parse(explained.out)["values"];
  REQUIRE(values.size() == 2);
  CHECK(values[1]["value"] == "0.75");
  CHECK(contains(values[1]["overrode"][0].get<std::string>(), "child.toml:4:15"));
  const Outcome different =
      test::call(transformed.bench.scratch(), {"diff", transformed.bench.file(), child, "--format", "json"});
  CAPTURE(different.err);
  CHECK(json::parse(different.out)[0]["key"] == "transform.flip.probability");
}

TEST_CASE("diff tells another order of the same transforms") {
  const Transformed transformed(flip + flip + "name = \"again\"\n");
  const std::string turned = (transformed.bench.scratch() / "turned.toml").string();
  write_file(turned, small_experiment() + flip + "name = \"again\"\n" + flip);
  const Outcome different =
      test::call(transformed.bench.scratch(), {"diff", transformed.bench.file(), turned, "--format", "json"});
  CAPTURE(different.err);
  REQUIRE(different.status == 0);
  const json differences = json::parse(different.out);
  REQUIRE(differences.size() == 1);
  CHECK(differences[0]["key"] == "transform");
  CHECK(differences[0]["a"] == "flip, again");
}
