// SPDX-License-Identifier: Apache-2.0
// The OpenMP team of the compute thread. oneDNN uses the same team, because the same thread enters both.
#pragma once

#include <algorithm>
#include <cstdint>

namespace halfling::cpu {

/// A contiguous part of an index space.
struct Range {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

/// Part `part` of `parts` of [0, count): in order, sizes differ by one at most.
inline Range share(std::int64_t count, int part, int parts) {
  return {count * part / parts, count * (part + 1) / parts};
}

class Team {
 public:
  /// Asks OpenMP for so many threads; 0: for as many as OMP_NUM_THREADS says, else for one per usable
  /// processor. It may give fewer (OMP_THREAD_LIMIT).
  explicit Team(int wanted);
  int wanted() const { return wanted_; }
  int threads() const { return threads_; }  ///< that it gives

  /// Makes the calling thread the one that computes: to be called before oneDNN makes or runs primitives
  /// there. They count on as many threads as OpenMP promises, and wait for ever for those that do not come.
  void lead() const;

  /// How many threads `work` units deserve when one is worth a thread from `least` units on.
  int threads_for(std::int64_t work, std::int64_t least = 16384) const {
    return static_cast<int>(std::clamp<std::int64_t>(work / least, 1, threads_));
  }
  /// Calls f(thread) for each thread in [0, count).
  template <class F>
  void run(int count, const F& f) const {
    if (count <= 1) return f(0);
#pragma omp parallel for num_threads(count) schedule(static, 1)
    for (int thread = 0; thread < count; ++thread) f(thread);
  }
  /// Calls f(range) for contiguous parts of [0, count); a unit of count is worth `weight` units of work.
  template <class F>
  void split(std::int64_t count, std::int64_t weight, const F& f) const {
    const int parts = threads_for(count * weight);
    run(parts, [&](int thread) { f(share(count, thread, parts)); });
  }

 private:
  int wanted_, threads_;
};

}  // namespace halfling::cpu
