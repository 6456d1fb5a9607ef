// SPDX-License-Identifier: Apache-2.0
// What only a backend for real work can show, end to end.
#include <doctest/doctest.h>

#include <cmath>

#include "measure/memory.hpp"
#include "program.hpp"

using namespace halfling;
using namespace halfling::test;
namespace fs = std::filesystem;

namespace {

fs::path run_on(const Bench& bench, const std::string& backend, Words more) {
  more.insert(more.end(), {"--quiet", "--set", "backend.use=" + backend});
  const Outcome outcome = bench.run(more);
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  for (const fs::path& folder : bench.folders())
    if (read_json(folder / "summary.json")["backend"] == backend) return folder;
  FAIL("no run on " << backend);
  return {};
}

}  // namespace

TEST_CASE("auto takes the cpu backend, and says so") {
  const Bench bench;
  const Outcome outcome = bench.run_with("backend.use=auto");
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  CHECK(contains(outcome.err, "backend cpu (auto): "));
  CHECK(read_json(bench.folders().front() / "summary.json")["backend"] == "cpu");
}

TEST_CASE("a format that the device does not have is refused before anything is written") {
  const Bench bench;
  const Outcome outcome = bench.run({"--set", "backend.use=cpu", "--set", "precision.use=fp64"});
  CHECK(outcome.status == 2);
  CHECK(contains(outcome.err, "f64 of fp64, on backend cpu"));
  CHECK(contains(outcome.err, "formats among f32"));
  CHECK(bench.folders().empty());
}

TEST_CASE("pain 12: fp32 is strict whatever the environment lets oneDNN do") {
  const Bench bench;
  std::string command = "ONEDNN_DEFAULT_FPMATH_MODE=BF16 ONEDNN_VERBOSE=1 exec " HALFLING_PROGRAM;
  for (const std::string& word : bench.run_words({"--quiet", "--set", "backend.use=cpu"}))
    command += " '" + word + "'";
  const Outcome outcome = Process(bench.scratch(), {"sh", "-c", command}).wait();
  CHECK(outcome.status == 0);
  CHECK(contains(outcome.out, ",exec,cpu,matmul"));
  CHECK(contains(outcome.out, ",exec,cpu,convolution"));
  CHECK(!contains(outcome.out, "fpmath:"));  // oneDNN tells of every mode but strict
}

TEST_CASE("cpu trains as reference does") {
  const Bench bench;
  const fs::path cpu = run_on(bench, "cpu", {}), reference = run_on(bench, "reference", {});
  const auto ours = read_lines(cpu / "metrics.jsonl"), judge = read_lines(reference / "metrics.jsonl");
  REQUIRE(ours.size() == judge.size());
  for (std::size_t i = 0; i < ours.size(); ++i)
    for (const char* operation : {"d", "g", "q"}) {
      const double got = ours[i]["operations"][operation]["loss"];
      const double expected = judge[i]["operations"][operation]["loss"];
      CAPTURE(i);
      // Rounding differences grow from step to step: Adam divides by small numbers.
      CHECK(std::abs(got - expected) <= (i == 0 ? 1e-5 : 1e-2) * expected);
    }
}

TEST_CASE("the same seed gives the same bytes on cpu, in every precision") {
  for (const char* precision : {"fp32", "mixed"}) {
    CAPTURE(precision);
    const Bench first, second;
    const Words settings{"--set", std::string("precision.use=") + precision};
    const std::string checkpoint = "checkpoints/12.safetensors";
    CHECK(read_file(run_on(first, "cpu", settings) / checkpoint) ==
          read_file(run_on(second, "cpu", settings) / checkpoint));
  }
}

// A sanitizer's own memory would be measured.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST_CASE("peak memory stays within the plan's promise") {
  const Bench bench;
  const Words wide{"--set", "dataset.size=28",
                   "--set", "architecture.fc_width=512",
                   "--set", "architecture.second_channels=64",
                   "--set", "input.batch_size=60",
                   "--set", "budget.iterations=3",
                   "--set", "sample.every=\"1h\""};
  const auto summary = read_json(run_on(bench, "cpu", wide) / "summary.json");
  const auto peak = summary["peak_bytes"].get<double>();
  const auto planned = summary["planned_bytes"]["total"].get<double>();
  CHECK(planned > 50e6);
  CHECK(peak >= 0.9 * planned);  // what is planned is used
  CHECK(peak <= 1.3 * planned + static_cast<double>(memory_base));
}
#endif
