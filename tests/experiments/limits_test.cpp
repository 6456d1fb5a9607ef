// SPDX-License-Identifier: Apache-2.0
// What a machine cannot do is said before a run, or at least in words.
#include <doctest/doctest.h>

#include "program.hpp"

using namespace halfling;
using namespace halfling::test;
namespace fs = std::filesystem;

namespace {

/// More than any machine has: batches of a million large images.
const Words large_images{"--set", "dataset.samples=1000000",         "--set", "dataset.size=64",
                         "--set", "architecture.first_channels=1024"};

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

const Words huge = with({"--set", "input.batch_size=1000000"}, large_images);

}  // namespace

#ifdef HALFLING_HAVE_CPU
TEST_CASE("a trial larger than its device is refused before anything runs, with the largest batch") {
  const Bench bench;
  const Outcome run = bench.run(with({"--set", "backend.use=cpu"}, huge));
  CAPTURE(run.err);
  CHECK(run.status == 2);
  for (const char* part : {"needs more memory than its device has", "MiB predicted, with batches of 1000000",
                           "expected: at most the ", "the largest that is predicted to fit is "})
    CHECK_MESSAGE(contains(run.err, part), part);
  CHECK(bench.folders().empty());
}

TEST_CASE("a sweep's last trial is measured against the device, too") {
  const Bench bench;
  const Outcome run = bench.run(with(
      {"--set", "backend.use=cpu", "--set", "sweep.matrix.\"input.batch_size\"=[8, 1000000]"}, large_images));
  CHECK(run.status == 2);
  CHECK(contains(run.err, "in trial 2 of 2: input.batch_size=1000000"));
  CHECK(bench.folders().empty());
}

TEST_CASE("plan tells what would be needed, says that it does not fit, and ends as run does") {
  const Bench bench;
  const Words words = with({"plan", bench.file(), "--set", "backend.use=cpu"}, huge);
  const Outcome text = call(bench.scratch(), words);
  CHECK(text.status == 2);
  CHECK(contains(text.out, "largest batch, predicted"));
  CHECK(contains(text.err, "needs more memory than its device has"));
  const Outcome json = call(bench.scratch(), with(words, {"--format", "json"}));
  CHECK(json.status == 2);
  CHECK(contains(nlohmann::json::parse(json.out)["plan"]["refusal"], "needs more memory"));
  const Outcome fits = call(bench.scratch(), {"plan", bench.file(), "--format", "json"});
  CHECK(fits.status == 0);
  CHECK(nlohmann::json::parse(fits.out)["plan"]["refusal"].is_null());
}
#endif

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // they need address space of their own
TEST_CASE("memory that runs out is told in words, not as std::bad_alloc") {
  const Bench bench;
  const std::string command = std::string("ulimit -v 1000000; exec ") + HALFLING_PROGRAM + " run " +
                              bench.file() + " --out " + bench.out() +
                              " --set input.batch_size=200000 --set dataset.samples=200000";
  const Outcome outcome = Process(bench.scratch(), {"sh", "-c", command}).wait();
  CAPTURE(outcome.err);
  CHECK(outcome.status == 2);
  CHECK(contains(outcome.err, "memory ran out"));
  CHECK(contains(outcome.err, "MiB predicted, with batches of 200000"));
  CHECK(contains(outcome.err, "lower input.batch_size"));
  CHECK_FALSE(contains(outcome.err, "bad_alloc"));
}
#endif

TEST_CASE("acgan refuses batches of one sample, from run and from plan") {
  const Bench bench;
  const Outcome run = bench.run_with("input.batch_size=1");
  CAPTURE(run.err);
  CHECK(run.status == 2);
  CHECK(contains(run.err, "acgan cannot train on batches of one sample"));
  CHECK(call(bench.scratch(), {"plan", bench.file(), "--set", "input.batch_size=1"}).err == run.err);
  CHECK(bench.folders().empty());
}

TEST_CASE("a file on --plugin-path that is no usable plugin is named by run, plan and sample") {
  const Bench bench;
  const fs::path folder = bench.scratch() / "plugins";
  fs::create_directory(folder);
  write_file(folder / "torn.so",
             "\x7f"
             "ELF");
  fs::create_symlink("circle.so", folder / "circle.so");
  const auto expect = [&](const Outcome& outcome, const fs::path& file) {
    CAPTURE(outcome.err);
    CHECK(outcome.status == 0);
    CHECK(contains(outcome.err, "note: plugin file " + file.string() + " was passed over: the "));
  };
  const Words here{"--plugin-path", folder.string()};
  for (const char* file : {"torn.so", "circle.so"}) {
    expect(call(bench.scratch(), with({"plan", bench.file()}, here)), folder / file);
    expect(Bench().run(here), folder / file);
  }
  CHECK(contains(bench.run(with({"--quiet"}, here)).err, "passed over") == false);
  const std::string grid = (bench.scratch() / "grid.png").string();
  const std::string run = bench.folders().front().string();
  expect(call(bench.scratch(), with({"sample", run, "--out", grid}, here)), folder / "torn.so");
}

TEST_CASE("a plugin that is not found makes one think of --plugin-path") {
  const Bench bench;
  const Outcome outcome = bench.run_with("precision.use=stochastic");
  CHECK(outcome.status == 2);
  CHECK(contains(outcome.err, "--plugin-path DIR"));
  CHECK_FALSE(contains(bench.run_with("precision.use=mixd").err, "--plugin-path DIR"));
}

TEST_CASE("--resume with nothing to resume names the runs that were begun, and how they differ") {
  const Bench bench;
  REQUIRE(bench.run({"--set", "optimizer.learning_rate=1e-3"}).status == 0);
  const fs::path run = bench.folders().front();
  CHECK_FALSE(contains(bench.run({"--resume", "--set", "experiment.seed=6"}).err, "nothing to resume"));
  fs::remove(run / "summary.json");  // as if the machine had stopped
  const Outcome outcome = bench.run({"--resume", "--set", "experiment.seed=7"});
  CAPTURE(outcome.err);
  CHECK(outcome.status == 0);
  CHECK(contains(outcome.err, "nothing to resume for this trial"));
  CHECK(contains(outcome.err, run.string() + " was begun: "));
  CHECK(contains(outcome.err, "optimizer.learning_rate = 0.001, here 0.0002"));
  CHECK(contains(outcome.err, "experiment.seed = 5, here 7"));
  CHECK_FALSE(
      contains(bench.run({"--resume", "--set", "optimizer.learning_rate=1e-3"}).err, "nothing to resume"));
}
