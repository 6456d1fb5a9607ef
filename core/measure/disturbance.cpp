// SPDX-License-Identifier: Apache-2.0
#include "measure/disturbance.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace halfling {

/// "nanoseconds run, nanoseconds waited, times run" (the kernel's sched-stats.rst). A thread that ends
/// meanwhile has no file any more.
DisturbanceMeter::Counts DisturbanceMeter::now() {
  Counts counts;
  rusage usage{};
  if (::getrusage(RUSAGE_SELF, &usage) == 0) counts.switches = usage.ru_nivcsw;
  std::error_code none;
  for (const auto& folder : std::filesystem::directory_iterator("/proc/self/task", none)) {
    std::ifstream file(folder.path() / "schedstat");
    Thread thread;
    if (file >> thread.ran >> thread.waited)
      counts.threads[std::stoi(folder.path().filename().string())] = thread;
  }
  return counts;
}

/// Of the threads that ran at least a quarter as long as the one that ran longest: others, which read
/// samples, may well wait.
double DisturbanceMeter::wait_share(const Counts& begin, const Counts& end) {
  std::vector<Thread> threads;
  for (const auto& [id, thread] : end.threads) {
    const auto found = begin.threads.find(id);
    const Thread before = found == begin.threads.end() ? Thread{} : found->second;
    threads.push_back({thread.ran - before.ran, thread.waited - before.waited});
  }
  double longest = 0;
  for (const Thread& thread : threads) longest = std::max(longest, thread.ran);
  Thread sum;
  for (const Thread& thread : threads) {
    if (4 * thread.ran < longest) continue;
    sum.ran += thread.ran;
    sum.waited += thread.waited;
  }
  return longest > 0 ? sum.waited / (sum.ran + sum.waited) : Disturbance::unknown;
}

Disturbance DisturbanceMeter::so_far() const {
  const Counts end = now();
  Disturbance result;
  if (begin_.switches >= 0 && end.switches >= 0) result.involuntary_switches = end.switches - begin_.switches;
  result.processor_wait_share = wait_share(begin_, end);
  double load = 0;
  if (::getloadavg(&load, 1) == 1) result.load_average = load;
  return result;
}

}  // namespace halfling
