// SPDX-License-Identifier: Apache-2.0
// Interrupts, checkpoints and exact continuation.
#include <doctest/doctest.h>

#include <cstdlib>
#include <set>

#include "program.hpp"

using namespace halfling;
using namespace halfling::test;
namespace fs = std::filesystem;

namespace {

/// k iterations and k resumed ones equal 2k, bit for bit.
void check_exact_continuation(const std::string& backend) {
  CAPTURE(backend);
  const Bench bench;
  const Words settings{
      "--quiet",           "--set", "backend.use=" + backend, "--set", "checkpoint.every=\"6it\"", "--set",
      "checkpoint.keep=5", "--set", "precision.use=mixed",    "--set", "average.decay=0.9"};
  const Outcome outcome = bench.run(settings);
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  const fs::path run = bench.folders().front();
  const std::string straight = last_checkpoint(run, 12);
  const std::string grid = read_file(run / "samples/00000012.png");
  REQUIRE(fs::exists(run / "checkpoints/6.safetensors"));
  // As if the machine had stopped after iteration 8, in the middle of a line of metrics.
  const auto lines = read_lines(run / "metrics.jsonl");
  std::string torn;
  for (std::size_t i = 0; i < 8; ++i) torn += lines[i].dump() + "\n";
  write_file(run / "metrics.jsonl", torn + "{\"iterat");
  fs::remove(run / "summary.json");
  fs::remove(run / "checkpoints/12.safetensors");
  fs::remove(run / "samples/00000012.png");

  Words again = settings;
  again.push_back("--resume");
  REQUIRE(bench.run(again).status == 0);
  CHECK(last_checkpoint(run, 12) == straight);
  CHECK(read_file(run / "samples/00000012.png") == grid);
  const auto resumed = read_lines(run / "metrics.jsonl");
  REQUIRE(resumed.size() == 12);
  for (std::size_t i = 0; i < 12; ++i) {
    CHECK(resumed[i]["iteration"] == i + 1);
    CHECK(resumed[i]["operations"] == lines[i]["operations"]);
  }
  CHECK(resumed[11]["elapsed_s"].get<double>() > resumed[5]["elapsed_s"].get<double>());
}

}  // namespace

TEST_CASE("pains 9 and 10: k iterations and k resumed ones equal 2k, bit for bit, on every backend") {
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
  CHECK(!contains(outcome.err, "stopping"));  // --quiet
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

TEST_CASE("two processes never run one trial at the same time") {
  const Bench bench;
  const Words settings{"--set", "budget.iterations=1000000"};
  Process first(bench.scratch(), halfling_words(bench.run_words(settings)));
  wait_for_lines(bench, 3);
  const fs::path run = bench.folders().front();
  write_file(run / "checkpoints/3.safetensors.1-0.partial", "may be the first process's own");
  Words again = settings;
  again.push_back("--resume");
  const Scratch other;
  const Outcome second = call(other, bench.run_words(again));
  CHECK(second.status == 2);
  CHECK(contains(second.err, "another process is running this trial"));
  CHECK(contains(second.err, std::to_string(first.pid())));
  CHECK(contains(second.err, run.string()));
  CHECK(fs::exists(run / "checkpoints/3.safetensors.1-0.partial"));
  first.interrupt(SIGKILL);
  first.wait();

  Process resumed(bench.scratch(), halfling_words(bench.run_words(again)));
  while (contains(read_file(run / ".lock"), std::to_string(first.pid())))
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  resumed.interrupt();
  CHECK(resumed.wait().status == 130);
  CHECK(!fs::exists(run / "checkpoints/3.safetensors.1-0.partial"));
}

TEST_CASE("a trial started twice at once is run once") {
  const Bench bench;
  const Scratch other;
  Process first(bench.scratch(), halfling_words(bench.run_words({"--quiet"})));
  Process second(other, halfling_words(bench.run_words({"--quiet"})));
  std::set<int> statuses{first.wait().status, second.wait().status};
  CHECK(statuses == std::set<int>{0, 2});
}

TEST_CASE("a terminal that closes ends a run as Ctrl-C does") {
  const Bench bench;
  Process process(bench.scratch(), halfling_words(bench.run_words({"--set", "budget.iterations=1000000"})));
  wait_for_lines(bench, 3);
  process.interrupt(SIGHUP);
  const Outcome outcome = process.wait();
  CHECK(outcome.status == 130);
  CHECK(contains(outcome.err,
                 "\nstopping after this iteration; Ctrl-C again ends at once, without a checkpoint\n"));
  const fs::path run = bench.folders().front();
  CHECK(read_json(run / "summary.json")["status"] == "interrupted");
  CHECK(!fs::is_empty(run / "checkpoints"));
}

TEST_CASE("nobody reading what a run says does not end it") {
  for (const std::string streams : {"2>&1 | true", ">&- 2>&-", "2>&- | true"}) {
    CAPTURE(streams);
    const Bench bench;
    std::string command = HALFLING_PROGRAM;
    for (const std::string& word : bench.run_words({})) command += " '" + word + "'";
    const std::string status = (bench.scratch() / "status").string();
    const std::string script = "{ " + command + "; echo $? > '" + status + "'; } " + streams;
    Process(bench.scratch(), {"sh", "-c", script}).wait();
    CHECK(read_file(status) == "0\n");
    REQUIRE(bench.folders().size() == 1);
    CHECK(read_json(bench.folders().front() / "summary.json")["status"] == "done");
  }
}

TEST_CASE("an interrupted sweep says how many trials were not started") {
  const Bench bench;
  write_file(bench.file(), small_experiment() + "[sweep.matrix]\n\"experiment.seed\" = [1, 2, 3]\n");
  Process process(bench.scratch(), halfling_words(bench.run_words({"--set", "budget.iterations=1000000"})));
  wait_for_lines(bench, 3);
  process.interrupt();
  const Outcome outcome = process.wait();
  CHECK(outcome.status == 130);
  CHECK(contains(outcome.err, "run " + bench.file() + " --set budget.iterations=1000000 --out " +
                                  bench.out() + " --resume\n"));
  CHECK(contains(outcome.err, "2 trials were not started"));
  CHECK(bench.folders().size() == 1);
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

TEST_CASE("a damaged checkpoint is refused, with how to go on") {
  const Bench bench;
  REQUIRE(bench.run({"--quiet", "--set", "checkpoint.every=\"6it\""}).status == 0);
  const fs::path run = bench.folders().front();
  const fs::path newest = run / "checkpoints/12.safetensors";
  const Words again{"--quiet", "--set", "checkpoint.every=\"6it\"", "--resume"};
  fs::remove(run / "summary.json");
  std::string bytes = read_file(newest);
  SUBCASE("cut short") {
    bytes.resize(1000);
  }
  SUBCASE("one bit of a tensor") {
    bytes.back() = static_cast<char>(bytes.back() ^ 1);
  }
  SUBCASE("one digit of the metadata") {
    const std::size_t at = bytes.find("\"iteration\":\"12\"");
    REQUIRE(at != std::string::npos);
    bytes[at + 14] = '3';
  }
  write_file(newest, bytes);
  const Outcome outcome = bench.run(again);
  CAPTURE(outcome.err);
  CHECK(outcome.status == 1);
  CHECK(contains(outcome.err, "12.safetensors"));
  CHECK(contains(outcome.err, "remove this checkpoint to continue from the one of iteration 6"));
  CHECK(read_file(newest) == bytes);
  const std::string grid = (bench.scratch() / "grid.png").string();
  const Outcome sample = call(bench.scratch(), {"sample", run.string(), "--out", grid});
  CHECK(sample.status == 1);
  CHECK(contains(sample.err, "remove this checkpoint"));
  CHECK(!fs::exists(grid));

  fs::remove(newest);
  CHECK(bench.run(again).status == 0);
  write_file(run / "checkpoints/6.safetensors", "torn");
  fs::remove(newest);
  fs::remove(run / "summary.json");
  CHECK(contains(bench.run(again).err, "remove this one to begin again"));
}

TEST_CASE("a finished run that lost its summary gets one with what is known, and no times") {
  const Bench bench;
  REQUIRE(bench.run({"--quiet"}).status == 0);
  const fs::path run = bench.folders().front();
  const auto whole = read_json(run / "summary.json");
  bool lost = false;
  SUBCASE("no summary") {
    fs::remove(run / "summary.json");
  }
  SUBCASE("a torn summary") {
    write_file(run / "summary.json", "{\"status\": \"do");
  }
  SUBCASE("no metrics either") {
    fs::remove(run / "summary.json");
    fs::remove(run / "metrics.jsonl");
    lost = true;
  }
  const Outcome outcome = bench.run({"--resume"});
  CHECK(outcome.status == 0);
  CHECK(contains(outcome.err, "not measured"));
  const auto again = read_json(run / "summary.json");
  CHECK(again["status"] == "done");
  CHECK(again["iterations"] == 12);
  for (const char* time : {"median", "p10", "p90"}) CHECK(again["ms_per_iteration"][time].is_null());
  for (const char* figure : {"ms_per_1000_samples", "input_wait_share", "peak_bytes"})
    CHECK(again[figure].is_null());
  if (lost) {
    CHECK(again["operations"]["d"]["loss"] == "nan");
    CHECK(again["operations"].size() == whole["operations"].size());
  } else {
    CHECK(again["operations"] == whole["operations"]);
    CHECK(again["wall_s"] == whole["wall_s"]);
  }
}

TEST_CASE("the peak of a resumed run does not count the checkpoint that was loaded") {
  if (!(std::ofstream("/proc/self/clear_refs") << "5" << std::flush))
    return;  // this kernel begins no new peak
  const Bench bench;
  const Words settings{"--quiet",
                       "--set",
                       "backend.use=" + backends().back(),
                       "--set",
                       "architecture.fc_width=40000",
                       "--set",
                       "input.batch_size=2",
                       "--set",
                       "budget.iterations=2",
                       "--set",
                       "checkpoint.every=\"1it\"",
                       "--set",
                       "sample.rows=1",
                       "--set",
                       "checkpoint.keep=5"};
  // The address sanitizer keeps what is freed for a while, as if it were in use.
  ::setenv("ASAN_OPTIONS", "quarantine_size_mb=1", 1);
  REQUIRE(bench.run(settings).status == 0);
  const fs::path run = bench.folders().front();
  const double straight = read_json(run / "summary.json")["peak_bytes"];
  fs::remove(run / "summary.json");
  fs::remove(run / "checkpoints/2.safetensors");
  Words again = settings;
  again.push_back("--resume");
  REQUIRE(bench.run(again).status == 0);
  ::unsetenv("ASAN_OPTIONS");
  const double resumed = read_json(run / "summary.json")["peak_bytes"];
  CAPTURE(straight);
  CHECK(resumed < straight + 0.25 * static_cast<double>(fs::file_size(run / "checkpoints/1.safetensors")));
}

TEST_CASE("a milestone has a checkpoint, which stays, whatever comes later") {
  const Bench bench;
  REQUIRE(bench
              .run({"--quiet", "--set", "checkpoint.milestones=[2, 7]", "--set", "checkpoint.every=\"5it\"",
                    "--set", "checkpoint.keep=1"})
              .status == 0);
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(bench.folders().front() / "checkpoints"))
    names.insert(entry.path().filename());
  CHECK(names == std::set<std::string>{"2.safetensors", "7.safetensors", "12.safetensors"});
  CHECK(contains(bench.run({"--set", "checkpoint.milestones=[2.5]"}).err, "checkpoint.milestones"));
  CHECK(contains(bench.run({"--set", "checkpoint.milestones=[0]"}).err, "checkpoint.milestones"));
}
