// SPDX-License-Identifier: Apache-2.0
// Killed again and again at any instant, and run for long.
#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <random>

#include "program.hpp"

using namespace halfling::test;
namespace fs = std::filesystem;

namespace {

#ifdef HALFLING_SLOW
constexpr int kills_wanted = 20, iterations = 400, long_run = 4000;  // under sanitizers
#else
constexpr int kills_wanted = 200, iterations = 2000, long_run = 20000;
#endif

Words tiny(int budget) {
  return {"--quiet", "--resume",
          "--set",   "budget.iterations=" + std::to_string(budget),
          "--set",   "checkpoint.every=\"20it\"",
          "--set",   "sample.every=\"500it\""};
}

/// Kilobytes of resident memory, as proc(5) has it; 0 where the process has ended.
long resident(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/status");
  for (std::string word; file >> word;)
    if (long kilobytes = 0; word == "VmRSS:" && file >> kilobytes) return kilobytes;
  return 0;
}

std::ptrdiff_t descriptors(pid_t pid) {
  std::error_code none;
  fs::directory_iterator open("/proc/" + std::to_string(pid) + "/fd", none);
  return none ? 0 : std::distance(fs::begin(open), fs::end(open));
}

}  // namespace

TEST_CASE("a run that is killed again and again loses nothing but time") {
  const Bench whole;
  REQUIRE(whole.run(tiny(iterations)).status == 0);
  const fs::path expected = whole.folders().front();
  std::mt19937 random(11);
  // From before the program has begun until it has trained for a while.
  std::uniform_int_distribution<int> milliseconds(0, 150);
  int kills = 0;
  while (kills < kills_wanted) {
    const Bench bench;
    Outcome outcome;
    do {
      Process process(bench.scratch(), halfling_words(bench.run_words(tiny(iterations))));
      std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds(random)));
      if (kills < kills_wanted) process.interrupt(SIGKILL);
      outcome = process.wait();
      kills += outcome.status == 128 + SIGKILL ? 1 : 0;
      CAPTURE(outcome.err);
      REQUIRE((outcome.status == 0 || outcome.status == 128 + SIGKILL));
    } while (outcome.status != 0);
    const fs::path run = bench.folders().front();
    CHECK(last_checkpoint(run, iterations) == last_checkpoint(expected, iterations));
    const auto lines = read_lines(run / "metrics.jsonl");
    REQUIRE(lines.size() == static_cast<std::size_t>(iterations));
    for (std::size_t i = 0; i < lines.size(); ++i) REQUIRE(lines[i]["iteration"] == i + 1);
    CHECK(read_json(run / "summary.json")["status"] == "done");
    for (const auto& entry : fs::recursive_directory_iterator(run))
      CHECK_MESSAGE(entry.path().extension() != ".partial", entry.path().string());
  }
}

TEST_CASE("memory and descriptors do not grow while a run goes on") {
  const Bench bench;
  Words words = tiny(long_run);
  words.insert(words.end(), {"--set", "metrics.every=\"10it\""});
  Process process(bench.scratch(), halfling_words(bench.run_words(words)));
  wait_for_lines(bench, long_run / 40);  // a quarter of it
  const long memory = resident(process.pid());
  const std::ptrdiff_t files = descriptors(process.pid());
  wait_for_lines(bench, long_run / 10 - 50);
  const long later = resident(process.pid());
  const std::ptrdiff_t files_later = descriptors(process.pid());
  const Outcome outcome = process.wait();
  CAPTURE(outcome.err);
  CHECK(outcome.status == 0);
  // Either may have been asked for after the end, on a machine that is busy with others.
  if (memory > 0 && later > 0) CHECK(later < memory + 8 * 1024);
  if (files > 0 && files_later > 0) CHECK(files_later <= files + 2);  // a checkpoint under way
}
