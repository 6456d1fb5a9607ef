// SPDX-License-Identifier: Apache-2.0
// Learning rates that change, and optimizers of single operations, in whole runs.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "program.hpp"
#include "run/safetensors.hpp"

using namespace halfling;
using namespace halfling::test;
namespace fs = std::filesystem;

namespace {

Words set(const Words& settings) {
  Words words{"--quiet"};
  for (const std::string& setting : settings) words.insert(words.end(), {"--set", setting});
  return words;
}

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// d and q: Adam by a cosine over the whole budget; g: SGD that is halved every four iterations.
Words scheduled(const std::string& backend) {
  return set({"backend.use=" + backend, "precision.use=mixed", "optimizer.schedule.kind=cosine",
              "optimizer.schedule.length=\"100%\"", "optimizer.schedule.warmup=\"2it\"",
              "optimizer.operation.g.use=sgd", "optimizer.operation.g.momentum=0.5",
              "optimizer.operation.g.schedule.kind=step",
              "optimizer.operation.g.schedule.every=\"32samples\"",
              "optimizer.operation.g.schedule.factor=0.5", "checkpoint.every=\"6it\"", "checkpoint.keep=5"});
}

double cosine(int before) {
  if (before < 2) return 2e-4 * before / 2;
  return 2e-4 * (1 + std::cos(std::numbers::pi * (before - 2) / 10)) / 2;
}

}  // namespace

TEST_CASE("metrics and summary have the learning rates that were in force") {
  const Bench bench;
  const Outcome outcome = bench.run(scheduled("reference"));
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  const fs::path run = bench.folders().front();
  const auto lines = read_lines(run / "metrics.jsonl");
  REQUIRE(lines.size() == 12);
  const auto rate = [](const nlohmann::json& of, const char* operation) {
    return of["operations"][operation]["learning_rate"].get<double>();
  };
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto made = [&](const char* operation) {
      return std::max(0, static_cast<int>(i) - lines[i]["operations"][operation]["skipped"].get<int>());
    };
    CHECK(rate(lines[i], "d") == doctest::Approx(cosine(made("d"))).epsilon(1e-12));
    CHECK(rate(lines[i], "q") == doctest::Approx(cosine(made("q"))).epsilon(1e-12));
    CHECK(rate(lines[i], "g") == doctest::Approx(1e-2 * std::pow(0.5, made("g") / 4)).epsilon(1e-12));
  }
  CHECK(rate(read_json(run / "summary.json"), "d") == rate(lines.back(), "d"));
}

TEST_CASE("k iterations and k resumed ones equal 2k under a schedule, bit for bit") {
  for (const std::string& backend : backends()) {
    CAPTURE(backend);
    const Bench bench;
    REQUIRE(bench.run(scheduled(backend)).status == 0);
    const fs::path run = bench.folders().front();
    const std::string straight = last_checkpoint(run, 12);
    const auto lines = read_lines(run / "metrics.jsonl");
    REQUIRE(fs::exists(run / "checkpoints/6.safetensors"));
    fs::remove(run / "summary.json");
    fs::remove(run / "checkpoints/12.safetensors");
    REQUIRE(bench.run(with(scheduled(backend), {"--resume"})).status == 0);
    CHECK(last_checkpoint(run, 12) == straight);
    CHECK(read_lines(run / "metrics.jsonl").back()["operations"] == lines.back()["operations"]);
  }
}

TEST_CASE("a checkpoint names the states of each optimizer, and no other trial continues it") {
  const Bench bench;
  const Words sgd = set({"optimizer.operation.g.use=sgd", "optimizer.operation.g.momentum=0.5"});
  REQUIRE(bench.run(sgd).status == 0);
  const fs::path run = bench.folders().front();
  const std::string states = last_checkpoint(run, 12);
  CHECK(contains(states, "\"optimizer.g.g.fc1.weight.velocity\""));
  CHECK_FALSE(contains(states, "\"optimizer.g.g.fc1.weight.m\""));
  CHECK(contains(states, "\"optimizer.q."));
  const std::string environment = read_file(run / "environment.json");
  CHECK(contains(environment, "\"sgd\""));
  CHECK(contains(environment, "\"adam\""));

  fs::remove(run / "summary.json");  // as if the machine had stopped
  const Outcome anew = bench.run({"--resume"});
  CHECK(anew.status == 0);
  CHECK(contains(anew.err, "nothing to resume for this trial"));
  CHECK(contains(anew.err, "optimizer.operation.g.use = \"sgd\", here nothing"));

  REQUIRE(bench.folders().size() == 2);
  const fs::path other = bench.folders()[bench.folders()[0] == run ? 1 : 0];
  fs::remove(other / "summary.json");
  fs::copy(run / "checkpoints/12.safetensors", other / "checkpoints/12.safetensors",
           fs::copy_options::overwrite_existing);
  const Outcome refused = bench.run({"--resume"});
  CHECK(refused.status == 1);
  CHECK(contains(refused.err, "the checkpoint is of another trial"));
}

TEST_CASE("a sweep over a schedule's key, with the rates of each trial") {
  const Bench bench;
  write_file(bench.file(), small_experiment() +
                               "[optimizer.schedule]\nkind = \"linear\"\nlength = \"12it\"\n"
                               "[sweep.matrix]\n\"optimizer.schedule.end_factor\" = [0.0, 0.5]\n");
  REQUIRE(bench.run({"--quiet"}).status == 0);
  REQUIRE(bench.folders().size() == 2);
  std::vector<double> last;
  for (const fs::path& run : bench.folders())
    last.push_back(read_lines(run / "metrics.jsonl").back()["operations"]["d"]["learning_rate"]);
  std::ranges::sort(last);
  CHECK(last[0] == doctest::Approx(2e-4 / 12).epsilon(1e-12));
  CHECK(last[1] == doctest::Approx(2e-4 * (1 - 0.5 * 11 / 12)).epsilon(1e-12));
}

TEST_CASE("what a schedule has wrong is told before anything is trained") {
  const Bench bench;
  const auto fails = [&](const Words& settings, std::string_view part) {
    const Outcome outcome = bench.run(set(settings));
    CAPTURE(outcome.err);
    CHECK(outcome.status == 2);
    CHECK(contains(outcome.err, part));
    CHECK(bench.folders().empty());
  };
  fails({"optimizer.schedule.kind=linear", "optimizer.schedule.length=\"1ep\"",
         "optimizer.schedule.warmup=\"7it\""},
        "the warm-up leaves nothing of the schedule");
  fails({"optimizer.operation.g.schedule.every=\"1ep\""},
        "\"optimizer.operation.g.schedule.kind\" is missing");
}
