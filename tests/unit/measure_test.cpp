// SPDX-License-Identifier: Apache-2.0
// What a run finds out about the machine, and about who else uses it.
#include <doctest/doctest.h>
#include <sched.h>

#include <cmath>
#include <thread>
#include <vector>

#include "halfling/processors.hpp"
#include "measure/cpu_quota.hpp"
#include "measure/disturbance.hpp"
#include "scratch.hpp"

using namespace halfling;
using namespace halfling::test;
namespace fs = std::filesystem;

namespace {

void write(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  write_file(file, text);
}

/// Keeps a processor of the calling thread's mask busy for some time of a clock.
void spin(std::chrono::milliseconds time) {
  for (const auto end = std::chrono::steady_clock::now() + time; std::chrono::steady_clock::now() < end;) {
  }
}

}  // namespace

TEST_CASE("the tightest limit of the control groups counts, in version 2") {
  const Scratch mounts;
  const std::string membership = "0::/user/session\n";
  CHECK(!cpu_quota(membership, mounts.path()));
  write(mounts / "user/session/cpu.max", "max 100000\n");
  CHECK(!cpu_quota(membership, mounts.path()));
  write(mounts / "user/cpu.max", "150000 100000\n");
  CHECK(*cpu_quota(membership, mounts.path()) == 1.5);
  write(mounts / "user/session/cpu.max", "400000 100000\n");
  CHECK(*cpu_quota(membership, mounts.path()) == 1.5);
  CHECK(!cpu_quota("0::/other\n", mounts.path()));
  write(mounts / "cpu.max", "50000 100000\n");  // as a container sees its own group, whatever the path says
  CHECK(*cpu_quota("0::/docker/1234\n", mounts.path()) == 0.5);
}

TEST_CASE("the tightest limit of the control groups counts, in version 1") {
  const Scratch mounts;
  const std::string membership = "9:cpuset:/a\n4:cpu,cpuacct:/a/b:c\n0::/\n";
  write(mounts / "cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
  write(mounts / "cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  CHECK(!cpu_quota(membership, mounts.path()));
  write(mounts / "cpu,cpuacct/a/b:c/cpu.cfs_quota_us", "300000\n");
  write(mounts / "cpu,cpuacct/a/b:c/cpu.cfs_period_us", "100000\n");
  CHECK(*cpu_quota(membership, mounts.path()) == 3);
  CHECK(!cpu_quota("nonsense\n:\n\n", mounts.path()));
}

TEST_CASE("no more processors are counted than the affinity mask has") {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  REQUIRE(::sched_getaffinity(0, sizeof mask, &mask) == 0);
  CHECK(usable_processors() >= 1);
  CHECK(usable_processors() <= CPU_COUNT(&mask));
}

TEST_CASE("threads that share a processor find that they wait for it") {
  std::vector<std::jthread> threads;
  cpu_set_t mask;
  CPU_ZERO(&mask);
  REQUIRE(::sched_getaffinity(0, sizeof mask, &mask) == 0);
  int first = 0;
  while (!CPU_ISSET(first, &mask)) ++first;
  CPU_ZERO(&mask);
  CPU_SET(first, &mask);
  const DisturbanceMeter meter;
  Disturbance found;
  std::jthread([&] {
    REQUIRE(::sched_setaffinity(0, sizeof mask, &mask) == 0);
    std::jthread other(spin, std::chrono::milliseconds(300));  // inherits the mask
    spin(std::chrono::milliseconds(300));
    found = meter.so_far();
  }).join();
  if (!fs::exists("/proc/self/schedstat")) return;
  CHECK(found.processor_wait_share > 0.2);
  CHECK(found.slowed());
  CHECK(found.involuntary_switches > 0);
  CHECK(found.load_average >= 0);
  CHECK_FALSE(Disturbance{}.slowed());
}
