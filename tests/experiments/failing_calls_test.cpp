// SPDX-License-Identifier: Apache-2.0
// Each call of the system that writes into a run folder fails, one execution for each of them.
#include <doctest/doctest.h>

#include <cerrno>
#include <cstring>
#include <map>

#include "program.hpp"

using namespace halfling::test;
namespace fs = std::filesystem;

namespace {

constexpr int iterations = 12;

/// A call, as the preloaded library lists it: "FUNCTION PATH", and which of those that are alike.
struct Call {
  std::string line;
  int nth = 1;
  std::string function() const { return line.substr(0, line.find(' ')); }
  std::string path() const { return line.substr(line.find(' ') + 1); }
};

Outcome run_with(const Bench& bench, const Call& call, int code) {
  Words words{"env",
              "LD_PRELOAD=" HALFLING_TEST_PLUGINS "/failing_calls.so",
              "FAULT_BELOW=" + bench.out(),
              "FAULT_LOG=" + (bench.scratch() / "calls").string(),
              "FAULT_AT=" + call.line,
              "FAULT_NTH=" + std::to_string(call.nth),
              "FAULT_CODE=" + std::to_string(code)};
  const Words run =
      halfling_words(bench.run_words({"--set", "checkpoint.every=6it", "--set", "checkpoint.keep=1"}));
  words.insert(words.end(), run.begin(), run.end());
  return Process(bench.scratch(), words).wait();
}

Outcome resume(const Bench& bench) {
  return bench.run({"--quiet", "--resume", "--set", "checkpoint.every=6it", "--set", "checkpoint.keep=1"});
}

/// The run that nothing disturbs, and the calls that it made.
struct Whole {
  Bench bench;
  std::vector<Call> calls;
  std::string checkpoint;
  Whole() {
    REQUIRE(run_with(bench, {}, 0).status == 0);
    std::istringstream lines(read_file(bench.scratch() / "calls"));
    std::map<std::string, int> seen;
    for (std::string line; std::getline(lines, line);) calls.push_back({line, ++seen[line]});
    checkpoint = last_checkpoint(bench.folders().front(), iterations);
  }
  /// Evenly, at most `most` of them.
  std::vector<Call> some(std::size_t most) const {
    std::vector<Call> taken;
    const std::size_t count = std::min(most, calls.size());
    for (std::size_t i = 0; i < count; ++i) taken.push_back(calls[i * calls.size() / count]);
    return taken;
  }
};

/// What may fail without a word: it takes nothing from anybody.
bool harmless(const Call& call) {
  const bool folder = !contains(fs::path(call.path()).filename().string(), ".");
  return call.function() == "unlink" || call.function() == "flock" || contains(call.path(), ".lock") ||
         (folder && (call.function() == "fsync" || call.function() == "close")) ||
         (call.function() == "close" && contains(call.path(), "metrics.jsonl"));
}

/// The file that the call was about, as messages name it.
std::string target(const Call& call) {
  const std::string path = call.path();
  const std::size_t partial = path.find(".partial");
  return fs::path(path.substr(0, partial)).filename().string();
}

/// The line of metrics whose own write fails is lost, and the run ends with a checkpoint after it.
int lines_lost(const Call& call) {
  return call.function() == "write" && call.path().ends_with("metrics.jsonl") ? 1 : 0;
}

void check_end(const Bench& bench, const Whole& whole, int lost) {
  const Outcome outcome = resume(bench);
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  const fs::path run = bench.folders().front();
  CHECK(last_checkpoint(run, iterations) == whole.checkpoint);
  CHECK(static_cast<int>(read_lines(run / "metrics.jsonl").size()) >= iterations - lost);
  CHECK(read_json(run / "summary.json")["status"] == "done");
}

constexpr std::size_t most = 60;

}  // namespace

TEST_CASE("whichever call fails is told with its file and the reason, and a resume comes to the same end") {
  const Whole whole;
  REQUIRE(whole.calls.size() > 30);
  const int codes[] = {ENOSPC, EIO, EDQUOT, EROFS, ESTALE};
  std::size_t next = 0;
  for (const Call& call : whole.some(most)) {
    const int code = codes[next++ % std::size(codes)];
    const Bench bench;
    const Outcome outcome = run_with(bench, call, code);
    CAPTURE(call.line);
    CAPTURE(call.nth);
    CAPTURE(std::strerror(code));
    CAPTURE(outcome.err);
    REQUIRE(contains(read_file(bench.scratch() / "calls"), call.line));  // it did fail
    CHECK((outcome.status >= 0 && outcome.status <= 2));
    CHECK_FALSE(contains(outcome.err, "terminate called"));
    CHECK_FALSE(contains(outcome.err, "Sanitizer"));
    if (outcome.status != 0 || !harmless(call)) {
      CHECK(contains(outcome.err, target(call)));
      CHECK(contains(outcome.err, std::strerror(code)));
    }
    check_end(bench, whole, lines_lost(call));
  }
}

TEST_CASE("calls that a signal cuts short, and writes of a part, are not noticed") {
  const Whole whole;
  for (const Call& call : whole.some(most)) {
    const std::string function = call.function();
    if (function == "rename" || function == "mkdir" || function == "unlink") continue;  // never cut short
    for (const int code : {EINTR, 0}) {
      if (code == 0 && function != "write") continue;
      const Bench bench;
      const Outcome outcome = run_with(bench, call, code);
      CAPTURE(call.line);
      CAPTURE(call.nth);
      CAPTURE(code);
      CAPTURE(outcome.err);
      REQUIRE(contains(read_file(bench.scratch() / "calls"), call.line));
      CHECK(outcome.status == 0);
      CHECK_FALSE(contains(outcome.err, "failed"));
      CHECK(last_checkpoint(bench.folders().front(), iterations) == whole.checkpoint);
      CHECK(read_lines(bench.folders().front() / "metrics.jsonl").size() == iterations);
    }
  }
}
