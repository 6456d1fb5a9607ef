// SPDX-License-Identifier: Apache-2.0
// What a run finds out about the machine, and about who else uses it.
#include <doctest/doctest.h>
#include <sched.h>
#include <sys/resource.h>

#include <cmath>
#include <thread>
#include <vector>

#include "halfling/processors.hpp"
#include "halfling/usable_memory.hpp"
#include "measure/control_groups.hpp"
#include "measure/disturbance.hpp"
#include "measure/energy.hpp"
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
  CHECK(!cpu_quota({membership, mounts.path()}));
  write(mounts / "user/session/cpu.max", "max 100000\n");
  CHECK(!cpu_quota({membership, mounts.path()}));
  write(mounts / "user/cpu.max", "150000 100000\n");
  CHECK(*cpu_quota({membership, mounts.path()}) == 1.5);
  write(mounts / "user/session/cpu.max", "400000 100000\n");
  CHECK(*cpu_quota({membership, mounts.path()}) == 1.5);
  CHECK(!cpu_quota({"0::/other\n", mounts.path()}));
  write(mounts / "cpu.max", "50000 100000\n");  // as a container sees its own group, whatever the path says
  CHECK(*cpu_quota({"0::/docker/1234\n", mounts.path()}) == 0.5);
}

TEST_CASE("the tightest limit of the control groups counts, in version 1") {
  const Scratch mounts;
  const std::string membership = "9:cpuset:/a\n4:cpu,cpuacct:/a/b:c\n0::/\n";
  write(mounts / "cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
  write(mounts / "cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  CHECK(!cpu_quota({membership, mounts.path()}));
  write(mounts / "cpu,cpuacct/a/b:c/cpu.cfs_quota_us", "300000\n");
  write(mounts / "cpu,cpuacct/a/b:c/cpu.cfs_period_us", "100000\n");
  CHECK(*cpu_quota({membership, mounts.path()}) == 3);
  CHECK(!cpu_quota({"nonsense\n:\n\n", mounts.path()}));
}

TEST_CASE("the tightest limit of memory counts, in both versions") {
  const Scratch mounts;
  const ControlGroups two{"0::/user/session\n", mounts.path()};
  CHECK(!memory_limit(two));
  write(mounts / "user/session/memory.max", "max\n");
  CHECK(!memory_limit(two));
  write(mounts / "user/memory.max", "2147483648\n");
  CHECK(*memory_limit(two) == 2147483648);
  write(mounts / "user/session/memory.max", "1000000\n");
  CHECK(*memory_limit(two) == 1000000);
  const ControlGroups one{"7:memory:/a\n4:cpu,cpuacct:/b\n", mounts.path()};
  write(mounts / "memory/memory.limit_in_bytes", "9223372036854771712\n");
  CHECK(!memory_limit(one));
  write(mounts / "memory/a/memory.limit_in_bytes", "3000000\n");
  CHECK(*memory_limit(one) == 3000000);
}

TEST_CASE("a process may take what its address space is limited to, at most") {
  struct rlimit before {};
  REQUIRE(::getrlimit(RLIMIT_AS, &before) == 0);
  const std::uint64_t all = usable_memory();
  CHECK(all > 0);
  const struct rlimit half { all / 2, before.rlim_max };
  REQUIRE(::setrlimit(RLIMIT_AS, &half) == 0);
  const std::uint64_t limited = usable_memory();
  REQUIRE(::setrlimit(RLIMIT_AS, &before) == 0);
  CHECK(limited == all / 2);
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

TEST_CASE("energy is the sum over packages, and goes on where a counter begins anew") {
  const Scratch scratch;
  CHECK(!EnergyMeter(scratch / "absent").joules());
  const auto write_zone = [&](const std::string& zone, const std::string& uj) {
    fs::create_directories(scratch / zone);
    write_file(scratch / zone / "energy_uj", uj + "\n");
    write_file(scratch / zone / "max_energy_range_uj", "10000000\n");
  };
  CHECK(!EnergyMeter(scratch / ".").joules());
  write_zone("intel-rapl:0", "1000000");
  write_zone("intel-rapl:1", "9000000");
  write_zone("intel-rapl:0:0", "5");  // a part of the first
  EnergyMeter meter(scratch / ".");
  CHECK(meter.joules() == 0.0);
  write_zone("intel-rapl:0", "3000000");
  write_zone("intel-rapl:1", "500000");
  write_zone("intel-rapl:0:0", "900000");
  CHECK(*meter.joules() == doctest::Approx(2 + 1.5));
  write_zone("intel-rapl:0", "4000000");
  CHECK(*meter.joules() == doctest::Approx(4.5));
  fs::remove(scratch / "intel-rapl:1" / "energy_uj");  // no longer allowed to be read, say
  CHECK(!meter.joules());
}
