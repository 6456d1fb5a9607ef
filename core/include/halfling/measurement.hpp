// SPDX-License-Identifier: Apache-2.0
// What repeated measurements come to, and what disturbed them.
#pragma once

#include <cstdint>
#include <limits>

namespace halfling {

/// All NaN where nothing was measured.
struct Quantiles {
  double median = 0, p10 = 0, p90 = 0;
};

/// Whether others took the processors from this process.
struct Disturbance {
  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

  double load_average = unknown;  ///< of the machine's last minute, this process included
  /// How often a thread of this process lost its processor before it gave it up; -1: unknown.
  std::int64_t involuntary_switches = -1;
  /// What the threads that compute waited for a processor, of the time in which they could have run; NaN
  /// where the kernel does not count it (CONFIG_SCHED_INFO).
  double processor_wait_share = unknown;

  /// Beside one busy process per processor the share is about a half; the threads that read samples take some
  /// hundredths.
  bool slowed() const { return processor_wait_share > 0.1; }
};

}  // namespace halfling
