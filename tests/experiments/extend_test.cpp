// SPDX-License-Identifier: Apache-2.0
// Finished runs that go on to a larger budget.
#include <doctest/doctest.h>

#include "program.hpp"

using namespace halfling;
using namespace halfling::test;
namespace fs = std::filesystem;

namespace {

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

Words iterations(int count) {
  return {"--set", "budget.iterations=" + std::to_string(count)};
}

}  // namespace

TEST_CASE("a finished run goes on to a larger budget, bit for bit as if it had been asked for at first") {
  for (const std::string& backend : backends()) {
    CAPTURE(backend);
    const Bench straight, extended;
    const Words settings{"--set", "backend.use=" + backend, "--set", "precision.use=mixed"};
    REQUIRE(straight.run(with(settings, iterations(18))).status == 0);
    REQUIRE(extended.run(settings).status == 0);
    const fs::path run = extended.folders().front();
    const Outcome refused = extended.run(with(settings, iterations(18)));
    CHECK(refused.status == 2);
    for (const char* part : {"has run already", "12 iterations", "--resume", "--out DIR"})
      CHECK_MESSAGE(contains(refused.err, part), part);

    const Outcome more =
        extended.run(with(with(settings, iterations(18)), {"--resume", "--set", "sample.rows=3"}));
    CAPTURE(more.err);
    REQUIRE(more.status == 0);
    CHECK(contains(more.err, "budget.iterations was 12, is now 18"));
    CHECK(contains(more.err, "sample.rows was 2, is now 3"));
    CHECK(contains(more.err, "continues after iteration 12"));
    REQUIRE(extended.folders().size() == 1);
    const fs::path whole = straight.folders().front();
    CHECK(run.filename() == whole.filename());
    CHECK(last_checkpoint(run, 18) == last_checkpoint(whole, 18));
    const auto lines = read_lines(run / "metrics.jsonl"), expected = read_lines(whole / "metrics.jsonl");
    REQUIRE(lines.size() == 18);
    for (std::size_t i = 0; i < 18; ++i) CHECK(lines[i]["operations"] == expected[i]["operations"]);
    CHECK(contains(read_file(run / "experiment.toml"), "iterations = 18\n"));
    CHECK(read_json(run / "summary.json")["iterations"] == 18);

    const Outcome less = extended.run(with(with(settings, iterations(6)), {"--resume"}));
    CHECK(less.status == 0);
    CHECK(contains(less.err, "has run already, to iteration 18"));
    CHECK(contains(read_file(run / "experiment.toml"), "iterations = 18\n"));
  }
}

TEST_CASE("a budget of epochs, samples or time is extended, too") {
  const Bench bench;  // 60 samples in batches of 8: 7 iterations an epoch
  const auto reached = [&](const std::string& budget) {
    const Outcome outcome =
        bench.run({"--resume", "--set", "budget={" + budget + "}", "--set", "budget.iterations=1000"});
    CAPTURE(outcome.err);
    REQUIRE(outcome.status == 0);
    REQUIRE(bench.folders().size() == 1);
    return read_json(bench.folders().front() / "summary.json")["iterations"].get<int>();
  };
  CHECK(reached("epochs=1") == 7);
  CHECK(reached("epochs=2") == 14);
  CHECK(reached("samples=161") == 21);
  CHECK(reached("samples=100") == 21);
  CHECK(reached("time=\"1ms\"") == 21);
}

TEST_CASE("an interrupted run that is asked for no more than it has is done, with its times") {
  const Bench bench;
  Process process(bench.scratch(), halfling_words(bench.run_words(iterations(1000000))));
  wait_for_lines(bench, 8);
  process.interrupt();
  REQUIRE(process.wait().status == 130);
  const fs::path run = bench.folders().front();
  auto before = read_json(run / "summary.json");
  REQUIRE(bench.run(with(iterations(2), {"--resume"})).status == 0);
  before["status"] = "done";
  CHECK(read_json(run / "summary.json") == before);
}
