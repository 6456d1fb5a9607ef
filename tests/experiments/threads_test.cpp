// SPDX-License-Identifier: Apache-2.0
// How many threads compute, and how they wait, whatever the environment says.
#include <doctest/doctest.h>
#include <sched.h>

#include "program.hpp"

using namespace halfling;
using namespace halfling::test;

namespace {

/// The program under `before`: a list of variables for env(1), or a program that runs another one. One that
/// hangs is killed.
struct Started {
  nlohmann::json environment;
  Outcome outcome;
};
Started run_under(const Words& before, const Words& settings = {}) {
  const Bench bench;
  Words words{"timeout", "-s", "KILL", "100", "env"};
  words.insert(words.end(), before.begin(), before.end());
  words.push_back(HALFLING_PROGRAM);
  Words more{"--set", "backend.use=cpu"};
  for (const std::string& setting : settings) more.insert(more.end(), {"--set", setting});
  for (const std::string& word : bench.run_words(more)) words.push_back(word);
  Started started;
  started.outcome = Process(bench.scratch(), words).wait();
  CAPTURE(before.front());
  CAPTURE(started.outcome.err);
  REQUIRE(started.outcome.status == 0);
  started.environment = read_json(bench.folders().front() / "environment.json");
  return started;
}

int threads_under(const Words& before, const Words& settings = {}) {
  return run_under(before, settings).environment["threads"];
}

std::string first_processor() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  REQUIRE(::sched_getaffinity(0, sizeof mask, &mask) == 0);
  int first = 0;
  while (!CPU_ISSET(first, &mask)) ++first;
  return std::to_string(first);
}

}  // namespace

TEST_CASE("fewer threads than asked for are all that is counted on") {
  const Words three{"backend.threads=3"};
  CHECK(threads_under({"OMP_THREAD_LIMIT=1"}, three) == 1);
  CHECK(threads_under({"OMP_THREAD_LIMIT=2"}, three) == 2);
  CHECK(contains(run_under({"OMP_THREAD_LIMIT=2"}, three).outcome.err, "computes on 2 of 3 threads"));
}

TEST_CASE("a number of threads that would change while a run lasts does not") {
  const Words three{"backend.threads=3"};
  CHECK(threads_under({"OMP_DYNAMIC=true"}, three) == 3);
  CHECK(threads_under({"OMP_MAX_ACTIVE_LEVELS=0"}, three) == 3);
  CHECK(threads_under({"OMP_DYNAMIC=true", "OMP_MAX_ACTIVE_LEVELS=0", "OMP_THREAD_LIMIT=2"}, three) == 2);
}

TEST_CASE("OMP_NUM_THREADS counts where the experiment says nothing, and so does the affinity mask") {
  CHECK(threads_under({"OMP_NUM_THREADS=1"}) == 1);
  CHECK(threads_under({"OMP_NUM_THREADS=3"}) == 3);
  CHECK(threads_under({"OMP_NUM_THREADS=3"}, {"backend.threads=2"}) == 2);
  CHECK(threads_under({"-u", "OMP_NUM_THREADS", "taskset", "-c", first_processor()}) == 1);
}

TEST_CASE("a run that has fewer threads than it asked for ends at the first interrupt") {
  const Bench bench;
  Words words{"env", "OMP_THREAD_LIMIT=1", HALFLING_PROGRAM};
  for (const std::string& word : bench.run_words({"--set", "backend.use=cpu", "--set", "backend.threads=3",
                                                  "--set", "budget.iterations=100000000"}))
    words.push_back(word);
  Process process(bench.scratch(), words);
  const auto trains = [&] {
    const auto folders = bench.folders();
    return !folders.empty() && !read_file(folders.front() / "metrics.jsonl").empty();
  };
  for (int i = 0; i < 6000 && !trains(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  process.interrupt(trains() ? SIGINT : SIGKILL);
  CHECK(process.wait().status == 130);
}

TEST_CASE("the OpenMP library is told to spin briefly, unless the user says how it shall wait") {
  const Words unset{"-u", "OMP_WAIT_POLICY", "-u", "GOMP_SPINCOUNT", "OMP_DISPLAY_ENV=verbose"};
  const Started chosen = run_under(unset);
  const auto policy = chosen.environment["wait_policy"].get<std::string>();
  CAPTURE(policy);
  const std::size_t count = policy.find('='), end = policy.find(", chosen by halfling");
  REQUIRE(policy.starts_with("GOMP_SPINCOUNT="));
  REQUIRE(end != std::string::npos);
  if (contains(chosen.outcome.err, "GOMP_SPINCOUNT"))  // GCC's library; another one says nothing of it
    CHECK(
        contains(chosen.outcome.err, "GOMP_SPINCOUNT = '" + policy.substr(count + 1, end - count - 1) + "'"));
  const Started users = run_under({"-u", "GOMP_SPINCOUNT", "OMP_WAIT_POLICY=passive"});
  CHECK(users.environment["wait_policy"].get<std::string>().starts_with("OMP_WAIT_POLICY=passive"));
}
