// SPDX-License-Identifier: Apache-2.0
// Runs that go on somewhere else, or with something else, than they began with.
#include <doctest/doctest.h>

#include "program.hpp"

using namespace halfling;
using namespace halfling::test;
namespace fs = std::filesystem;

namespace {

/// A numpy file of ten drawings, all of whose bytes are `ink`.
std::string drawings(char ink) {
  std::string header = "{'descr': '|u1', 'fortran_order': False, 'shape': (10, 784), }";
  header.append(117 - header.size(), ' ').append("\n");
  return std::string("\x93NUMPY\x01\x00", 8) + std::string{char(header.size()), 0} + header +
         std::string(7840, ink);
}

}  // namespace

TEST_CASE("what has changed since a run was interrupted is said, and environment.json keeps what it ran on") {
  const Bench bench;
  write_file(bench.scratch() / "cat.npy", drawings(1));
  std::string experiment = small_experiment();
  const std::string synthetic = "use = \"synthetic\"\nsamples = 60\nsize = 8\nclasses = 3\n";
  experiment.replace(experiment.find(synthetic), synthetic.size(),
                     "use = \"quickdraw\"\nroot = \".\"\nclasses = [\"cat\"]\n");
  write_file(bench.file(), experiment);
  const Words settings{"--quiet", "--set", "checkpoint.every=6it", "--set", "checkpoint.keep=5"};
  const Outcome first = bench.run(settings);
  CAPTURE(first.err);
  REQUIRE(first.status == 0);
  const fs::path run = bench.folders().front();
  const auto resume = [&] {
    fs::remove(run / "checkpoints/12.safetensors");
    fs::remove(run / "summary.json");
    return bench.run({"--set", "checkpoint.every=6it", "--set", "checkpoint.keep=5", "--resume"});
  };
  const Outcome same = resume();
  CHECK(same.status == 0);
  CHECK(!contains(same.err, "note:"));
  nlohmann::json environment = read_json(run / "environment.json");
  CHECK(environment["before"].size() == 1);
  environment["processor"] = "Another 3000";
  environment["threads"] = 64;
  write_file(run / "environment.json", environment.dump());
  write_file(bench.scratch() / "cat.npy", drawings(2));
  const Outcome changed = resume();
  CHECK(changed.status == 0);
  CHECK(contains(changed.err, "note: the processor was Another 3000, is now "));
  CHECK(contains(changed.err, "note: the number of threads was 64, is now "));
  CHECK(contains(changed.err, "note: the data set's content was "));
  CHECK(contains(changed.err, "it goes on with other samples than it began with"));
  environment = read_json(run / "environment.json");
  REQUIRE(environment["before"].size() == 2);
  CHECK(environment["before"][1]["processor"] == "Another 3000");
  write_file(run / "environment.json", "no JSON");
  CHECK(resume().status == 0);
  CHECK(!read_json(run / "environment.json").contains("before"));
}

TEST_CASE("the summary of an earlier execution is not shown as the state of a run that was killed later") {
  const Bench bench;
  REQUIRE(bench.run({"--quiet"}).status == 0);
  const fs::path run = bench.folders().front();
  Process process(
      bench.scratch(),
      halfling_words(bench.run_words({"--quiet", "--resume", "--set", "budget.iterations=1000000"})));
  wait_for_lines(bench, 14);
  process.interrupt(SIGKILL);
  process.wait();
  CHECK(!fs::exists(run / "summary.json"));
  const Outcome report = call(bench.scratch(), {"report", run.string(), "--format", "json"});
  CAPTURE(report.err);
  CHECK(contains(report.out, "\"killed\""));
}
