// SPDX-License-Identifier: Apache-2.0
// Trials that take turns, block by block.
#include <doctest/doctest.h>

#include <set>

#include "program.hpp"

using namespace halfling;
using namespace halfling::test;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

const std::string sweep = "[sweep.matrix]\n\"precision.use\" = [\"fp32\", \"mixed\"]\n";
const std::string turns = sweep + "[sweep]\norder = \"interleaved\"\nblocks = 2\n";

struct SweepBench : Bench {
  explicit SweepBench(const std::string& more) { write_file(file(), small_experiment() + more); }
};

/// Which trial begins when, and in which block.
std::vector<std::string> titles(const std::string& text) {
  std::vector<std::string> found;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (const auto block = line.find(", block "); line.starts_with("[") && block != std::string::npos)
      found.push_back(line.substr(0, 5) + line.substr(block));
  return found;
}

}  // namespace

TEST_CASE("trials that take turns end with the bits of those that run one after the other") {
  for (const std::string& backend : backends()) {
    CAPTURE(backend);
    const SweepBench whole(sweep), parts(turns);
    REQUIRE(whole.run_with("backend.use=" + backend).status == 0);
    const Outcome outcome = parts.run_with("backend.use=" + backend);
    CAPTURE(outcome.err);
    REQUIRE(outcome.status == 0);
    CHECK(titles(outcome.err) == std::vector<std::string>{"[1/2], block 1 of 2", "[2/2], block 1 of 2",
                                                          "[1/2], block 2 of 2", "[2/2], block 2 of 2"});
    REQUIRE(parts.folders().size() == 2);
    for (const fs::path& run : parts.folders()) {
      const fs::path same = fs::path(whole.out()) / "small" / run.filename();
      CHECK(last_checkpoint(run, 12) == last_checkpoint(same, 12));
      const json summary = read_json(run / "summary.json"), other = read_json(same / "summary.json");
      CHECK(summary["status"] == "done");
      CHECK(summary["iterations"] == 12);
      CHECK(summary["block_ms"].size() == 2);
      CHECK(summary["warmup_iterations"] == 6);
      CHECK(summary["timed_iterations"] == 6);
      CHECK(!other.contains("block_ms"));
      CHECK(other["timed_iterations"] == 9);
      CHECK(read_lines(run / "metrics.jsonl").size() == 12);
      CHECK(!read_json(run / "environment.json").contains("before"));  // one process, one machine
    }
  }
}

TEST_CASE("a run that came to its end in native formats tells where an iteration's time goes") {
  const SweepBench bench("");
  REQUIRE(bench.run().status == 0);
  const json profile = read_json(bench.folders().front() / "summary.json")["profile"];
  double ms = 0;
  std::set<std::string> kinds, layers;
  for (const json& time : profile["work"]) {
    ms += time["ms"].get<double>();
    kinds.insert(time["work"]);
    layers.insert(time["layer"]);
  }
  CHECK(ms > 0);
  CHECK(ms <= profile["ms_per_iteration"].get<double>());
  CHECK(profile["iterations"] == 10);
  for (const char* kind : {"contraction", "normalization", "pointwise", "update"})
    CHECK(kinds.contains(kind));
  for (const char* layer : {"d.conv1", "g.deconv3", "g.fc1"}) CHECK(layers.contains(layer));
  CHECK(bench.run_with("precision.use=mixed").status == 0);  // which reference emulates
  std::size_t profiles = 0;
  for (const fs::path& run : bench.folders()) profiles += read_json(run / "summary.json").contains("profile");
  CHECK(profiles == 1);
}

TEST_CASE("an interrupt in a block is continued there, and trials beyond it are left alone") {
  const SweepBench bench(turns);
  Words words = bench.run_words({"--set", "budget.iterations=400"});
  Process process(bench.scratch(), halfling_words(words));
  wait_for_lines(bench, 210);  // the first trial's second block; the other one's first is done
  process.interrupt();
  const Outcome first = process.wait();
  CAPTURE(first.err);
  REQUIRE(first.status == 130);
  words.emplace_back("--resume");
  const Outcome second = call(bench.scratch(), words);
  CAPTURE(second.err);
  REQUIRE(second.status == 0);
  const auto again = titles(second.err);
  REQUIRE(again.size() == 2);
  CHECK(again[0] == "[1/2], block 2 of 2");
  CHECK(again[1] == "[2/2], block 2 of 2");
  const SweepBench whole(sweep);
  REQUIRE(whole.run_with("budget.iterations=400").status == 0);
  for (const fs::path& run : bench.folders())
    CHECK(last_checkpoint(run, 400) ==
          last_checkpoint(fs::path(whole.out()) / "small" / run.filename(), 400));
}

TEST_CASE("a trial that fails takes no more turns") {
  const SweepBench bench(sweep + "[sweep]\norder = \"interleaved\"\nblocks = 3\non_failure = \"continue\"\n");
  const Outcome listed = bench.run({"--list-trials", "--format", "json"});
  const std::string blocked = json::parse(listed.out)[0]["trial"];
  fs::create_directories(fs::path(bench.out()) / "small");
  write_file(fs::path(bench.out()) / "small" / blocked, "in the way");
  const Outcome outcome = bench.run();
  CAPTURE(outcome.err);
  CHECK(outcome.status == 1);
  CHECK(titles(outcome.err) == std::vector<std::string>{"[1/2], block 1 of 3", "[2/2], block 1 of 3",
                                                        "[2/2], block 2 of 3", "[2/2], block 3 of 3"});
  CHECK(contains(outcome.err, "1 of 2 trials failed"));
}

TEST_CASE("one trial alone takes no turns") {
  const SweepBench bench(turns);
  const Outcome outcome = bench.run({"--trial", "1"});
  CHECK(outcome.status == 0);
  CHECK(titles(outcome.err).empty());
  CHECK(!read_json(bench.folders().front() / "summary.json").contains("block_ms"));
}
