// SPDX-License-Identifier: Apache-2.0
// Whether others took the processors from this process.
#pragma once

#include <cstdint>
#include <map>

#include "halfling/measurement.hpp"

namespace halfling {

class DisturbanceMeter {
 public:
  DisturbanceMeter() : begin_(now()) {}
  /// Since it was made.
  Disturbance so_far() const;

 private:
  struct Thread {
    double ran = 0, waited = 0;  ///< nanoseconds
  };
  struct Counts {
    std::int64_t switches = -1;
    std::map<int, Thread> threads;  ///< by id
  };
  static Counts now();
  static double wait_share(const Counts& begin, const Counts& end);

  Counts begin_;
};

}  // namespace halfling
