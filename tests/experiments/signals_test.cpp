// SPDX-License-Identifier: Apache-2.0
// Signals that a run answers, besides those that end it.
#include <doctest/doctest.h>

#include "program.hpp"

using namespace halfling;
using namespace halfling::test;
namespace fs = std::filesystem;

TEST_CASE("SIGUSR1 asks for a checkpoint and the run goes on; SIGQUIT ends it as SIGTERM does") {
  const Bench bench;
  const Words endless{"--quiet",
                      "--set",
                      "budget.iterations=1000000",
                      "--set",
                      "sample.every=1000000it",
                      "--set",
                      "checkpoint.every=1000000it"};
  Process process(bench.scratch(), halfling_words(bench.run_words(endless)));
  wait_for_lines(bench, 2);
  const fs::path checkpoints = bench.folders().front() / "checkpoints";
  const auto count = [&] {
    return std::ranges::count_if(fs::directory_iterator(checkpoints), [](const auto& entry) {
      return entry.path().extension() == ".safetensors";
    });
  };
  for (std::ptrdiff_t asked = 1; asked <= 2; ++asked) {
    process.interrupt(SIGUSR1);
    for (int tries = 0; count() < asked && tries < 2000; ++tries)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    CHECK(count() == asked);
  }
  CHECK(::kill(process.pid(), 0) == 0);
  process.interrupt(SIGQUIT);
  CHECK(process.wait().status == 130);
  CHECK(read_json(bench.folders().front() / "summary.json")["status"] == "interrupted");
}
