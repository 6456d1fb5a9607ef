// SPDX-License-Identifier: Apache-2.0
// Interrupts, checkpoints and exact continuation.
#include <doctest/doctest.h>

#include <set>

#include "program.hpp"

using namespace halfling;
using namespace halfling::test;
namespace fs = std::filesystem;

namespace {

std::string last_checkpoint(const fs::path& run, int iteration) {
  return read_file(run / "checkpoints" / (std::to_string(iteration) + ".safetensors"));
}

/// Waits until a run has written this many lines of metrics, or has ended by itself.
void wait_for_lines(const Bench& bench, std::size_t lines) {
  for (int tries = 0; tries < 2000; ++tries) {
    for (const fs::path& run : bench.folders()) {
      const std::string text = read_file(run / "metrics.jsonl");
      if (static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) >= lines) return;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

/// k iterations and k resumed ones equal 2k, bit for bit.
void check_exact_continuation(const std::string& backend) {
  CAPTURE(backend);
  const Bench bench;
  const Words settings{
      "--quiet",           "--set", "backend.use=" + backend, "--set", "checkpoint.every=\"6it\"", "--set",
      "checkpoint.keep=5", "--set", "precision.use=mixed"};
  const Outcome outcome = bench.run(settings);
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  const fs::path run = bench.folders().front();
  const std::string straight = last_checkpoint(run, 12);
  const std::string grid = read_file(run / "samples/12.png");
  REQUIRE(fs::exists(run / "checkpoints/6.safetensors"));
  // As if the machine had stopped after iteration 8, in the middle of a line of metrics.
  const auto lines = read_lines(run / "metrics.jsonl");
  std::string torn;
  for (std::size_t i = 0; i < 8; ++i) torn += lines[i].dump() + "\n";
  write_file(run / "metrics.jsonl", torn + "{\"iterat");
  fs::remove(run / "summary.json");
  fs::remove(run / "checkpoints/12.safetensors");
  fs::remove(run / "samples/12.png");

  Words again = settings;
  again.push_back("--resume");
  REQUIRE(bench.run(again).status == 0);
  CHECK(last_checkpoint(run, 12) == straight);
  CHECK(read_file(run / "samples/12.png") == grid);
  const auto resumed = read_lines(run / "metrics.jsonl");
  REQUIRE(resumed.size() == 12);
  for (std::size_t i = 0; i < 12; ++i) {
    CHECK(resumed[i]["iteration"] == i + 1);
    CHECK(resumed[i]["operations"] == lines[i]["operations"]);
  }
  CHECK(resumed[11]["elapsed_s"].get<double>() > resumed[5]["elapsed_s"].get<double>());
}

}  // namespace

TEST_CASE("k iterations and k resumed ones equal 2k, bit for bit, on every backend") {
  for (const std::string& backend : backends()) check_exact_continuation(backend);
}

TEST_CASE("Ctrl-C ends with a checkpoint, and --resume goes on as if nothing had been") {
  const Bench straight, cut;
  const Words settings{"--quiet", "--set", "budget.iterations=700", "--set", "sample.every=\"1h\""};
  REQUIRE(straight.run(settings).status == 0);

  Process process(cut.scratch(), halfling_words(cut.run_words(settings)));
  wait_for_lines(cut, 5);
  process.interrupt();
  const Outcome outcome = process.wait();
  CHECK(outcome.status == 130);
  CHECK(contains(outcome.err, "--resume"));
  REQUIRE(cut.folders().size() == 1);
  const fs::path run = cut.folders().front();
  const auto summary = read_json(run / "summary.json");
  CHECK(summary["status"] == "interrupted");
  const int reached = summary["iterations"];
  CHECK(reached < 700);
  CHECK(fs::exists(run / "checkpoints" / (std::to_string(reached) + ".safetensors")));

  Words again = settings;
  CHECK(cut.run(again).status == 2);  // a run is never overwritten
  again.push_back("--resume");
  REQUIRE(cut.run(again).status == 0);
  CHECK(last_checkpoint(run, 700) == last_checkpoint(straight.folders().front(), 700));
  CHECK(read_lines(run / "metrics.jsonl").size() == 700);
}

TEST_CASE("an interrupted sweep says how many trials were not started") {
  const Bench bench;
  write_file(bench.file(), small_experiment() + "[sweep.matrix]\n\"experiment.seed\" = [1, 2, 3]\n");
  Process process(bench.scratch(), halfling_words(bench.run_words({"--set", "budget.iterations=1000000"})));
  wait_for_lines(bench, 3);
  process.interrupt();
  const Outcome outcome = process.wait();
  CHECK(outcome.status == 130);
  CHECK(contains(outcome.err, "2 of the trials were not started"));
  CHECK(contains(outcome.err, "run " + bench.file() + " --set budget.iterations=1000000 --out " +
                                  bench.out() + " --resume\n"));
  CHECK(bench.folders().size() == 1);
}

TEST_CASE("two processes never train one trial at the same time") {
  const Bench bench;
  const Words words = bench.run_words({"--set", "budget.iterations=1000000", "--resume"});
  Process first(bench.scratch(), halfling_words(words));
  wait_for_lines(bench, 3);
  const Scratch other;
  const Outcome second = call(other, words);
  CHECK(second.status == 2);
  CHECK(contains(second.err, "another process trains this trial"));
  CHECK(contains(second.err, bench.folders().front().string()));
  first.interrupt();
  CHECK(first.wait().status == 130);
  const Bench done;
  CHECK(done.run({"--quiet"}).status == 0);  // the lock is let go with the process, and needs no file removed
  CHECK(done.run({"--resume"}).status == 0);
}

TEST_CASE("a finished trial is neither overwritten nor run again") {
  const Bench bench;
  REQUIRE(bench.run({"--quiet"}).status == 0);
  const fs::path run = bench.folders().front();
  const std::string before = last_checkpoint(run, 12);
  const Outcome refused = bench.run();
  CHECK(refused.status == 2);
  CHECK(contains(refused.err, "has run already"));
  CHECK(contains(refused.err, "--out DIR"));
  const Outcome resumed = bench.run({"--resume"});
  CHECK(resumed.status == 0);
  CHECK(contains(resumed.err, "has run already"));
  CHECK(contains(resumed.out, "done"));
  CHECK(last_checkpoint(run, 12) == before);
}

TEST_CASE("only the newest checkpoints are kept") {
  const Bench bench;
  REQUIRE(bench.run({"--set", "checkpoint.every=\"3it\"", "--set", "checkpoint.keep=2"}).status == 0);
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(bench.folders().front() / "checkpoints"))
    names.insert(entry.path().filename());
  CHECK(names == std::set<std::string>{"12.safetensors", "9.safetensors"});
}

TEST_CASE("a damaged checkpoint is named") {
  const Bench bench;
  REQUIRE(bench.run({"--quiet"}).status == 0);
  const fs::path run = bench.folders().front();
  fs::remove(run / "summary.json");
  fs::resize_file(run / "checkpoints/12.safetensors", 1000);
  const Outcome outcome = bench.run({"--resume"});
  CHECK(outcome.status == 1);
  CHECK(contains(outcome.err, "12.safetensors"));
}
