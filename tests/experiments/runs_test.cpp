// SPDX-License-Identifier: Apache-2.0
// halfling runs, and halfling checkpoint.
#include <doctest/doctest.h>

#include "program.hpp"

using namespace halfling;
using namespace halfling::test;
namespace fs = std::filesystem;
using nlohmann::json;

namespace {

/// A run that is done, one that failed and one that was killed before its first checkpoint.
struct Folder {
  Bench bench;
  fs::path done, failed, killed;

  Folder() {
    done = ran({});
    failed = ran({"--set", "experiment.seed=2"});
    json summary = read_json(failed / "summary.json");
    summary["status"] = "failed";
    summary["error"] = "a loss is not finite";
    write_file(failed / "summary.json", summary.dump());
    killed = ran({"--set", "experiment.seed=3"});
    fs::remove(killed / "summary.json");
    fs::remove(killed / "checkpoints/12.safetensors");
  }
  fs::path ran(Words more) const {
    const auto before = bench.folders();
    more.emplace_back("--quiet");
    REQUIRE(bench.run(more).status == 0);
    for (const fs::path& folder : bench.folders())
      if (std::ranges::find(before, folder) == before.end()) return folder;
    return {};
  }
  Outcome runs(Words more = {}) const {
    more.insert(more.begin(), {"runs", bench.out()});
    return call(bench.scratch(), more);
  }
};

}  // namespace

TEST_CASE("runs lists what lies in a folder, and filters") {
  const Folder folder;
  const Outcome all = folder.runs();
  CAPTURE(all.out);
  CHECK(all.status == 0);
  for (const fs::path& run : {folder.done, folder.failed, folder.killed})
    CHECK(contains(all.out, run.filename().string()));
  CHECK(contains(all.out, "3 runs, "));
  const json list = json::parse(folder.runs({"--format", "json"}).out);
  REQUIRE(list.size() == 3);
  for (const json& run : list) {
    CHECK(run["experiment"] == "small");
    CHECK(run["iterations"] == 12);
    CHECK(run["bytes"].get<std::int64_t>() > 10000);
    CHECK(run["age_s"].get<double>() < 600);
  }
  const Outcome failed = folder.runs({"--status", "failed"});
  CHECK(contains(failed.out, folder.failed.filename().string()));
  CHECK(!contains(failed.out, folder.done.filename().string()));
  CHECK(contains(folder.runs({"--experiment", "other"}).out, "0 runs"));
  CHECK(contains(folder.runs({"--older", "1"}).out, "0 runs"));
  write_file(folder.done / "provenance.json", "{}");
  write_file(folder.done / "summary.json", "no JSON");
  CHECK(contains(folder.runs().out, "unreadable"));
}

TEST_CASE("prune deletes what nobody goes on with, and asks before") {
  const Folder folder;
  const Outcome nobody = folder.runs({"--prune"});
  CHECK(nobody.status == 2);
  CHECK(contains(nobody.err, "--yes"));
  CHECK(folder.bench.folders().size() == 3);
  const Outcome pruned = folder.runs({"--prune", "--yes"});
  CHECK(pruned.status == 0);
  CHECK(contains(pruned.err, "2 deleted"));
  REQUIRE(folder.bench.folders().size() == 1);
  CHECK(folder.bench.folders().front() == folder.done);
  CHECK(contains(folder.runs({"--prune", "--yes"}).err, "nothing to delete"));
  CHECK(folder.runs({"--prune", "--yes", "--status", "done"}).status == 0);
  CHECK(folder.bench.folders().empty());
}

TEST_CASE("prune leaves a run that goes on") {
  const Bench bench;
  Process process(bench.scratch(),
                  halfling_words(bench.run_words({"--quiet", "--set", "budget.iterations=1000000"})));
  wait_for_lines(bench, 2);
  const Scratch other;
  const Outcome pruned = call(other, {"runs", bench.out(), "--prune", "--yes", "--status", "running"});
  CHECK(contains(pruned.err, "nothing to delete"));
  CHECK(contains(call(other, {"runs", bench.out()}).out, "running"));
  process.interrupt();
  CHECK(process.wait().status == 130);
}

TEST_CASE("checkpoint says what is in a file and whether it is whole") {
  const Bench bench;
  REQUIRE(bench.run({"--quiet"}).status == 0);
  const fs::path run = bench.folders().front(), file = run / "checkpoints/12.safetensors";
  const Outcome text = call(bench.scratch(), {"checkpoint", run.string()});
  CAPTURE(text.err);
  CHECK(text.status == 0);
  CHECK(contains(text.out, "iteration 12, "));
  CHECK(contains(text.out, "whole: its data have the checksum"));
  CHECK(contains(text.out, "d.conv1.weight"));
  const json contents =
      json::parse(call(bench.scratch(), {"checkpoint", file.string(), "--format", "json"}).out);
  CHECK(contents["iteration"] == 12);
  CHECK(contents["classes"].size() == 3);
  CHECK(contents["image"] == json{1, 8, 8});
  CHECK(contents["bytes"].get<std::uint64_t>() < fs::file_size(file));
  std::string bytes = read_file(file);
  bytes[bytes.size() - 5] ^= 1;
  write_file(file, bytes);
  const Outcome damaged = call(bench.scratch(), {"checkpoint", file.string()});
  CHECK(damaged.status == 1);
  CHECK(contains(damaged.err, "damaged"));
  CHECK(call(bench.scratch(), {"checkpoint", (run / "none.safetensors").string()}).status == 1);
  CHECK(call(bench.scratch(), {"checkpoint"}).status == 2);
}
