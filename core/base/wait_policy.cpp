// SPDX-License-Identifier: Apache-2.0
#include "base/wait_policy.hpp"

#include <dlfcn.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <limits>

namespace halfling {
namespace {

constexpr const char* variables[] = {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT"};
// tests/bench/busy.py shows what others cost.
constexpr double spin_ns = 100e3;
constexpr double spin_ns_with_short_slices = 300e3;
constexpr std::uint64_t slice_ns = 100'000;  // the least that Linux gives

bool chosen = false;
bool short_slices = false;

/// struct sched_attr of sched_setattr(2), which the C library does not declare.
struct SchedulerAttributes {
  std::uint32_t size = sizeof(SchedulerAttributes);
  std::uint32_t policy = 0;
  std::uint64_t flags = 0;
  std::int32_t nice = 0;
  std::uint32_t priority = 0;
  std::uint64_t runtime = 0;  ///< of SCHED_OTHER: the slice, in ns
  std::uint64_t deadline = 0;
  std::uint64_t period = 0;
};

SchedulerAttributes scheduling() {
  SchedulerAttributes now;
  if (::syscall(SYS_sched_getattr, 0, &now, sizeof now, 0) != 0) now = {};
  return now;
}

/// For this thread, and those that it will start. Whether the kernel has done so: older ones take the wish
/// and forget it, and sandboxes may refuse it.
bool shorten_slices() {
  SchedulerAttributes wish = scheduling();
  if (wish.policy != SCHED_OTHER) return false;
  wish.runtime = slice_ns;
  return ::syscall(SYS_sched_setattr, 0, &wish, 0) == 0 && scheduling().runtime == slice_ns;
}

/// Of one turn of libgomp's loop, which is a pause; its length differs tenfold between processors. The
/// fastest of some tries, since another process may interrupt.
double pause_ns() {
  using Clock = std::chrono::steady_clock;
  constexpr int turns = 500;
  double least = std::numeric_limits<double>::max();
  for (int i = 0; i < 5; ++i) {
    const Clock::time_point begin = Clock::now();
    for (int turn = 0; turn < turns; ++turn) {
#if defined(__x86_64__)
      __builtin_ia32_pause();
#else
      asm volatile("" ::: "memory");
#endif
    }
    least = std::min(least, std::chrono::duration<double, std::nano>(Clock::now() - begin).count() / turns);
  }
  return least;
}

/// What the environment says, "NAME=VALUE, NAME=VALUE".
std::string environment() {
  std::string text;
  for (const char* variable : variables)
    if (const char* value = std::getenv(variable))
      text += (text.empty() ? "" : ", ") + std::string(variable) + "=" + value;
  return text;
}

}  // namespace

void choose_wait_policy() {
  short_slices = shorten_slices();
  const bool too_late = ::dlopen("libgomp.so.1", RTLD_LAZY | RTLD_NOLOAD) != nullptr;  // preloaded
  if (too_late || !environment().empty()) return;
  const double wait_ns = short_slices ? spin_ns_with_short_slices : spin_ns;
  const auto spins = static_cast<int>(std::clamp(wait_ns / pause_ns(), 100.0, 100e3));
  chosen = ::setenv("GOMP_SPINCOUNT", std::to_string(spins).c_str(), 0) == 0;
}

std::string wait_policy() {
  std::string text = environment();
  if (chosen) text += ", chosen by halfling";
  if (short_slices) text += (text.empty() ? "" : "; ") + std::string("slices of 0.1 ms");
  return text;
}

}  // namespace halfling
