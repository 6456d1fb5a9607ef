// SPDX-License-Identifier: Apache-2.0
// Samples that training never sees: what a run counts, what it is called, and what is refused.
#include <doctest/doctest.h>

#include "program.hpp"

using namespace halfling::test;
using nlohmann::json;

namespace {

json plan(const Bench& bench, const Words& more) {
  Words words{"plan", bench.file(), "--format", "json"};
  words.insert(words.end(), more.begin(), more.end());
  const Outcome outcome = call(bench.scratch(), words);
  CAPTURE(outcome.out);
  CHECK(outcome.status == 0);
  return json::parse(outcome.out);
}

}  // namespace

TEST_CASE("epochs are of the samples that are not held out, and the trial is another one") {
  const Bench bench;
  const Words epoch{"--set", "budget.iterations=100", "--set", "budget.epochs=1"};
  Words held_out = epoch;
  held_out.insert(held_out.end(), {"--set", "dataset.holdout=0.2"});
  REQUIRE(bench.run(epoch).status == 0);
  REQUIRE(bench.folders().size() == 1);
  CHECK(read_json(bench.folders()[0] / "summary.json")["iterations"] == 7);  // 60 samples, batches of 8
  const auto whole = bench.folders()[0];
  REQUIRE(bench.run(held_out).status == 0);
  REQUIRE(bench.folders().size() == 2);
  const auto part = bench.folders()[bench.folders()[0] == whole ? 1 : 0];
  CHECK(read_json(part / "summary.json")["iterations"] == 6);  // 48 samples
  CHECK(contains(read_file(part / "experiment.toml"), "holdout = 0.2"));
  CHECK_FALSE(contains(read_file(whole / "experiment.toml"), "holdout"));
  CHECK(contains(call(bench.scratch(), {"plan", bench.file(), "--set", "dataset.holdout=0.2"}).err +
                     call(bench.scratch(), {"plan", bench.file(), "--set", "dataset.holdout=0.2"}).out,
                 "48 samples"));
  CHECK(plan(bench, {"--set", "dataset.holdout=0.2"}).dump() != plan(bench, {}).dump());
}

TEST_CASE("a run with held-out samples goes on bit for bit, with any number of workers") {
  const Bench once, twice;
  const Words held_out{"--set", "dataset.holdout=0.3"};
  REQUIRE(once.run(held_out).status == 0);
  REQUIRE(twice.run({held_out[0], held_out[1], "--set", "budget.iterations=5"}).status == 0);
  REQUIRE(twice.run({held_out[0], held_out[1], "--resume"}).status == 0);
  CHECK(last_checkpoint(once.folders()[0], 12) == last_checkpoint(twice.folders()[0], 12));
}

TEST_CASE("a share that leaves a side empty, or is none, is refused at its place") {
  const Bench bench;
  const Outcome none = bench.run_with("dataset.holdout=0.001");
  CHECK(none.status == 2);
  CHECK(contains(none.err, "no sample would be held out"));
  CHECK(contains(none.err, "--set #1"));
  CHECK(contains(none.err, "0.001 of 60 samples"));
  CHECK(contains(bench.run_with("dataset.holdout=0.999").err, "no sample would be left to train with"));
  const Outcome small = bench.run_with("dataset.holdout=0.9");
  CHECK(small.status == 2);
  CHECK(contains(small.err, "a batch is larger than the data set"));
  for (const std::string share : {"-0.1", "1", "1.5"}) {
    const Outcome outcome = bench.run_with("dataset.holdout=" + share);
    CHECK(outcome.status == 2);
    CHECK(contains(outcome.err, "error[E"));
    CHECK(contains(outcome.err, "dataset.holdout"));
  }
  CHECK(bench.folders().empty());
}
