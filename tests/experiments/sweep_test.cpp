// SPDX-License-Identifier: Apache-2.0
// Sweeps as they run: failures, single trials, lists, and a cluster's job array.
#include <doctest/doctest.h>

#include "program.hpp"

using namespace halfling;
using namespace halfling::test;
namespace fs = std::filesystem;
using nlohmann::json;

namespace {

/// Three trials; the run folder of the second cannot be made.
class BlockedSweep : public Bench {
 public:
  explicit BlockedSweep(const std::string& on_failure = "") {
    write_file(file(), small_experiment() + "[sweep.matrix]\n\"experiment.seed\" = [1, 2, 3]\n" +
                           (on_failure.empty() ? "" : "[sweep]\non_failure = \"" + on_failure + "\"\n"));
    const Outcome listed = run({"--list-trials", "--format", "json"});
    REQUIRE(listed.status == 0);
    trials = json::parse(listed.out);
    fs::create_directories(fs::path(out()) / "small");
    write_file(blocked(), "in the way");
  }
  fs::path blocked() const { return folder(1); }
  fs::path folder(std::size_t trial) const {
    return fs::path(out()) / "small" / trials[trial]["trial"].get<std::string>();
  }
  bool done(std::size_t trial) const { return fs::exists(folder(trial) / "summary.json"); }

  json trials;
};

/// The indented line of a message that starts with the program's name.
std::string command_in(const std::string& text) {
  const std::size_t begin = text.find("    halfling run ");
  REQUIRE(begin != std::string::npos);
  return text.substr(begin + 4, text.find('\n', begin) - begin - 4);
}

}  // namespace

TEST_CASE("trials are listed without running") {
  const BlockedSweep sweep;
  REQUIRE(sweep.trials.size() == 3);
  CHECK(sweep.trials[2]["number"] == 3);
  CHECK(sweep.trials[2]["label"] == "experiment.seed=3");
  CHECK(sweep.folders().size() == 1);
}

TEST_CASE("a sweep stops at a failure, and gives the command that runs the trial again") {
  const BlockedSweep sweep;
  const Outcome outcome = sweep.run();
  CAPTURE(outcome.err);
  CHECK(outcome.status == 1);
  CHECK(sweep.done(0));
  CHECK_FALSE(fs::exists(sweep.folder(2)));
  CHECK(contains(outcome.err, "1 of 3 trials failed"));
  CHECK(contains(outcome.err, "1 trial was not started"));
  fs::remove(sweep.blocked());
  const std::string command = command_in(outcome.err);
  CHECK(command == "halfling run " + sweep.file() + " --out " + sweep.out() + " --trial 2 --resume");
  const std::string program = HALFLING_PROGRAM;
  const Outcome again =
      Process(sweep.scratch(), {"sh", "-c", program + command.substr(std::string("halfling").size())}).wait();
  CAPTURE(again.err);
  CHECK(again.status == 0);
  CHECK(sweep.done(1));
  CHECK_FALSE(fs::exists(sweep.folder(2)));
}

TEST_CASE("on_failure = continue runs the others; --resume runs what is left") {
  const BlockedSweep sweep("continue");
  const Outcome outcome = sweep.run();
  CHECK(outcome.status == 1);
  CHECK(sweep.done(0));
  CHECK(sweep.done(2));
  CHECK(contains(outcome.out, "experiment.seed=3"));
  CHECK(contains(outcome.err, "1 of 3 trials failed"));
  fs::remove(sweep.blocked());
  const auto before = fs::last_write_time(sweep.folder(0) / "summary.json");
  const Outcome resumed = sweep.run({"--resume"});
  CHECK(resumed.status == 0);
  CHECK(sweep.done(1));
  CHECK(fs::last_write_time(sweep.folder(0) / "summary.json") == before);
}

TEST_CASE("one trial of a sweep") {
  const BlockedSweep sweep;
  REQUIRE(sweep.run({"--trial", "3"}).status == 0);
  CHECK(sweep.done(2));
  CHECK_FALSE(fs::exists(sweep.folder(0)));
  CHECK(sweep.run({"--trial", "4"}).status == 2);
  CHECK(sweep.run({"--trial", "2"}).status == 2);  // alone, it ends with its own status
}

TEST_CASE("a job array runs every trial, under a stand-in for sbatch") {
  const BlockedSweep sweep;
  fs::remove(sweep.blocked());
  const fs::path sbatch = sweep.scratch() / "sbatch";
  write_file(sbatch,
             "#!/bin/sh\narray=${1#--array=1-}\nshift\necho \"$1\" >given\nshift\n"
             "for i in $(seq \"$array\"); do SLURM_ARRAY_TASK_ID=$i \"$@\" || exit 1; done\n");
  fs::permissions(sbatch, fs::perms::owner_all);
  const std::string folder = sbatch.parent_path().string();
  const std::string script = "cd " + folder + " && PATH=" + folder +
                             ":$PATH HALFLING=" HALFLING_PROGRAM
                             " SBATCH_ARGUMENTS=--time=30 " HALFLING_EXPERIMENTS "/slurm-array.sh " +
                             sweep.file() + " --out " + sweep.out();
  const Outcome outcome = Process(sweep.scratch(), {"sh", "-c", script}).wait();
  CAPTURE(outcome.err);
  CHECK(outcome.status == 0);
  for (std::size_t trial = 0; trial < 3; ++trial) CHECK(sweep.done(trial));
  CHECK(read_file(sweep.scratch() / "given") == "--time=30\n");
}
