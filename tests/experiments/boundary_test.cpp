// SPDX-License-Identifier: Apache-2.0
// A plugin that throws or crashes while the program runs: it is named, with the call, and the rest goes on as
// the experiment says.
#include <doctest/doctest.h>
#include <sys/resource.h>

#include "program.hpp"

using namespace halfling;
using namespace halfling::test;

namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool signals_are_the_sanitizers = true;
#else
constexpr bool signals_are_the_sanitizers = false;
#endif

Words with_fault(const std::string& fault) {
  return {"--plugin-path", HALFLING_TEST_PLUGINS,   "--set", "dataset.use=wild",
          "--set",         "dataset.fault=" + fault};
}

/// "dataset/wild (…/wild.so)".
bool names_the_plugin(const std::string& text, const std::string& call) {
  const std::string file = "plugin dataset/wild (" HALFLING_TEST_PLUGINS "/wild.so)";
  return contains(text, call + " of " + file) || contains(text, file + ", in " + call);
}

}  // namespace

TEST_CASE("what a plugin throws ends the run with an error that names it, and a summary") {
  const std::pair<const char*, const char*> faults[] = {{"integer", "an exception that is no std::exception"},
                                                        {"standard", "the disk is gone"}};
  for (const auto& [fault, got] : faults) {
    CAPTURE(fault);
    const Bench bench;
    const Outcome outcome = bench.run(with_fault(fault));
    CAPTURE(outcome.err);
    CHECK(outcome.status == 1);
    CHECK(names_the_plugin(outcome.err, "Dataset::read"));
    CHECK(contains(outcome.err, got));
    REQUIRE(bench.folders().size() == 1);
    const auto summary = read_json(bench.folders().front() / "summary.json");
    CHECK(summary["status"] == "failed");
    CHECK(names_the_plugin(summary["error"], "Dataset::read"));
  }
}

TEST_CASE("memory that runs out in a plugin is told as that, with the batch that would fit") {
  const Bench bench;
  const Outcome outcome = bench.run(with_fault("memory"));
  CAPTURE(outcome.err);
  CHECK(outcome.status == 2);
  CHECK(contains(outcome.err, "memory ran out in Dataset::read of plugin dataset/wild"));
  CHECK(contains(outcome.err, "lower input.batch_size"));
  CHECK(read_json(bench.folders().at(0) / "summary.json")["status"] == "failed");
}

TEST_CASE("a sweep goes on after a plugin that threw, where it is to") {
  const Bench bench;
  for (const char* fault : {"integer", "standard", "memory"}) {
    CAPTURE(fault);
    Words words = with_fault(fault);
    for (const char* setting :
         {"sweep.on_failure=\"continue\"", "sweep.matrix.\"input.batch_size\"=[4, 5]"}) {
      words.push_back("--set");
      words.push_back(setting);
    }
    const std::size_t before = bench.folders().size();
    const Outcome outcome = bench.run(words);
    CAPTURE(outcome.err);
    CHECK(outcome.status == 1);
    CHECK(contains(outcome.err, "2 of 2 trials failed"));
    REQUIRE(bench.folders().size() == before + 2);
    for (const auto& folder : bench.folders())
      CHECK(read_json(folder / "summary.json")["status"] == "failed");
  }
}

TEST_CASE("what a plugin throws before anything trains is an error of the command") {
  const Bench bench;
  const Outcome outcome = bench.run(with_fault("size"));
  CAPTURE(outcome.err);
  CHECK(outcome.status == 1);
  CHECK(names_the_plugin(outcome.err, "Dataset::size"));
  CHECK(bench.folders().empty());
}

TEST_CASE("a plugin that crashes is named before the process dies, by the same signal as ever" *
          doctest::skip(signals_are_the_sanitizers)) {
  struct Crash {
    const char* fault;
    int signal;
    const char* name;
    const char* call;
  };
  const Crash crashes[] = {
    {"address", SIGSEGV, "SIGSEGV (a wrong address)", "Dataset::read"},
    {"stack", SIGSEGV, "SIGSEGV (a wrong address)", "Dataset::read"},
    {"abort", SIGABRT, "SIGABRT (it gave up)", "Dataset::read"},
    {"noexcept", SIGABRT, "SIGABRT (it gave up)", "Dataset::read"},
    {"bus", SIGBUS, "SIGBUS", "Dataset::read"},
    {"thread", SIGSEGV, "SIGSEGV (a wrong address) in a thread that it started, probably: ", "Dataset::read"},
    {"factory", SIGSEGV, "SIGSEGV (a wrong address)", "the factory"},
#if defined(__x86_64__)
    {"division", SIGFPE, "SIGFPE", "Dataset::read"},
    {"instruction", SIGILL, "SIGILL", "Dataset::read"},
#endif
  };
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);  // no core dumps of the tests
  for (const Crash& crash : crashes) {
    CAPTURE(crash.fault);
    const Bench bench;
    const Outcome outcome = bench.run(with_fault(crash.fault));
    CAPTURE(outcome.err);
    CHECK(outcome.status == 128 + crash.signal);
    const std::size_t line = outcome.err.find(std::string("halfling: ") + crash.name);
    REQUIRE(line != std::string::npos);
    CHECK(names_the_plugin(outcome.err.substr(line), crash.call));
  }
}

TEST_CASE("a data set that does nothing wrong is read through the same boundary") {
  const Bench bench;
  CHECK(bench.run(with_fault("none")).status == 0);
}

TEST_CASE("a backend that fails when it is asked is passed over aloud") {
  const Bench bench;
  const Words words{"--plugin-path", HALFLING_TEST_PLUGINS};
  const Outcome run =
      bench.run({words[0], words[1], "--set", "backend.use=auto"});  // fails where no other is left
  CAPTURE(run.err);
  CHECK(contains(run.err, "stuck: a plugin failed: the bus is stuck"));
  const Outcome devices = call(bench.scratch(), {"devices", words[0], words[1]});
  CHECK(devices.status == 0);
  CHECK(contains(devices.out, "stuck: no device; a plugin failed: the bus is stuck\n"));
}
