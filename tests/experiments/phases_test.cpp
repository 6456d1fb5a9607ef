// SPDX-License-Identifier: Apache-2.0
// Repeated and lazy phases as users see them: a WGAN with three critic steps, and R1 in every fourth
// iteration.
#include <doctest/doctest.h>

#include "program.hpp"

using namespace halfling;
using namespace halfling::test;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

/// The small experiment with the WGAN in place of the AC-GAN.
void use_wgan(const Bench& bench, const std::string& options = {}) {
  std::string text = small_experiment();
  const std::size_t begin = text.find("[architecture]"), end = text.find("[optimizer]");
  text.replace(begin, end - begin, "[architecture]\nuse = \"wgan\"\n" + options + "\n");
  write_file(bench.file(), text);
}

Words with_plugins(Words words) {
  words.insert(words.end(), {"--plugin-path", HALFLING_TEST_PLUGINS});
  return words;
}

Outcome run(const Bench& bench, Words words) {
  return bench.run(with_plugins(std::move(words)));
}

json plan(const Bench& bench, Words more = {}) {
  Words words{"plan", bench.file(), "--format", "json"};
  words.insert(words.end(), more.begin(), more.end());
  const Outcome outcome = call(bench.scratch(), with_plugins(words));
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  return json::parse(outcome.out)["plan"];
}

}  // namespace

TEST_CASE("repeated and lazy phases are counted, and continue bit for bit, on every backend and in fp16") {
  for (const std::string& backend : backends()) {
    CAPTURE(backend);
    const Bench bench;
    use_wgan(bench);
    const Words settings{"--quiet",
                         "--set",
                         "backend.use=" + backend,
                         "--set",
                         "precision.use=mixed",
                         "--set",
                         "precision.half=fp16",
                         "--set",
                         "loss_scaler.initial=256",
                         "--set",
                         "average.decay=0.9",
                         "--set",
                         "checkpoint.every=\"6it\"",
                         "--set",
                         "checkpoint.keep=5"};
    const Outcome outcome = run(bench, settings);
    CAPTURE(outcome.err);
    REQUIRE(outcome.status == 0);
    const fs::path folder = bench.folders().front();
    const json summary = read_json(folder / "summary.json");
    CHECK(summary["batch_size"] == 8);
    CHECK(summary["samples_per_iteration"] == 24);
    CHECK(summary["samples"] == 12 * 24);
    const auto lines = read_lines(folder / "metrics.jsonl");
    REQUIRE(lines.size() == 12);
    for (std::size_t i = 0; i < 12; ++i) {
      CHECK(lines[i]["epoch"] == i / 2);  // 60 samples are two iterations of 24
      for (const char* operation : {"d", "r1", "g"}) CHECK(lines[i]["operations"][operation]["skipped"] == 0);
      // R1 runs in the iterations 0, 4 and 8, and keeps its metrics between
      const bool same = i % 4 != 0;
      if (i > 0) CHECK((lines[i]["operations"]["r1"] == lines[i - 1]["operations"]["r1"]) == same);
      if (i > 0) CHECK(lines[i]["operations"]["d"]["loss"] != lines[i - 1]["operations"]["d"]["loss"]);
    }

    const std::string straight = last_checkpoint(folder, 12),
                      grid = read_file(folder / "samples/00000012.png");
    fs::remove(folder / "summary.json");
    fs::remove(folder / "checkpoints/12.safetensors");
    Words again = settings;
    again.push_back("--resume");
    REQUIRE(run(bench, again).status == 0);
    CHECK(last_checkpoint(folder, 12) == straight);
    CHECK(read_file(folder / "samples/00000012.png") == grid);
  }
}

TEST_CASE("a budget of samples or epochs counts what an iteration reads") {
  for (const auto& [budget, iterations] : {std::pair{"samples=100", 5}, {"epochs=3", 6}}) {
    const Bench bench;
    use_wgan(bench);
    REQUIRE(run(bench, {"--quiet", "--set", std::string("budget.") + budget}).status == 0);
    CHECK(read_json(bench.folders().front() / "summary.json")["iterations"] == iterations);
  }
}

TEST_CASE("an iteration that reads more than the data set has is refused before anything runs") {
  const Bench bench;
  use_wgan(bench, "repeat = 8\n");
  const Outcome outcome = run(bench, {});
  CHECK(outcome.status == 2);
  CHECK(contains(outcome.err, "64 samples in the 8 batches of an iteration"));
  CHECK(contains(outcome.err, "input.batch_size"));
}

TEST_CASE("plan gives the mean over iterations, and memory for every kind of iteration") {
  const Bench bench;
  const auto told = [&](const char* options) {
    use_wgan(bench, options);
    return plan(bench);
  };
  const auto flops = [](const json& plan) {
    double sum = 0;
    for (const char* stage : {"forward", "backward", "update"})
      sum += plan["per_iteration"][stage]["flops"].get<double>();
    return sum;
  };
  const json always = told("every = 1\n"), lazy = told("every = 4\n"), seldom = told("every = 8\n");
  CHECK(lazy["samples_per_iteration"] == 24);
  CHECK(lazy["operations"] == json{"d", "r1", "g"});
  // f(every) = a + b / every
  const double b = (flops(lazy) - flops(seldom)) * 8;
  CHECK(b > 0);
  CHECK(flops(always) == doctest::Approx(flops(lazy) + 0.75 * b).epsilon(0.01));
  CHECK(lazy["predicted_bytes"]["activations"] > always["predicted_bytes"]["activations"]);
}

TEST_CASE("the monitor looks at every phase, also in an iteration in which one does not run") {
  const Bench bench;
  use_wgan(bench);
  const Outcome outcome =
      run(bench, {"--quiet", "--set", "monitor.every=\"3it\"", "--set", "precision.use=mixed", "--set",
                  "precision.half=fp16", "--set", "monitor.values=[\"d.conv*\"]"});
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  bool seen = false;
  for (const json& line : read_lines(bench.folders().front() / "monitor.jsonl"))
    seen = seen || (line["operation"] == "r1" && line["iteration"] == 3 && line["value"] == "d.conv.weight");
  CHECK(seen);
}

TEST_CASE("sample draws from such a run") {
  const Bench bench;
  use_wgan(bench);
  REQUIRE(run(bench, {"--quiet"}).status == 0);
  const std::string png = (bench.scratch() / "grid.png").string();
  CHECK(call(bench.scratch(), with_plugins({"sample", bench.folders().front().string(), "--out", png}))
            .status == 0);
  CHECK(fs::exists(png));
}
