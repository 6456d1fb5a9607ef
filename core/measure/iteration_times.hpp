// SPDX-License-Identifier: Apache-2.0
// How long iterations take, without the first ones, which touch memory and fill caches.
#pragma once

#include <cstdint>
#include <vector>

#include "measure/statistics.hpp"

namespace halfling {

class IterationTimes {
 public:
  static constexpr std::int64_t warmup = 3;  ///< first iterations of a block, left out

  /// A block is what is trained without a break; the first one needs no call.
  void begin_block();
  /// Seconds of an iteration, and those of them that it waited for input.
  void add(double seconds, double waited);

  std::int64_t warmup_iterations() const { return warmup_; }
  std::int64_t timed_iterations() const { return static_cast<std::int64_t>(milliseconds_.size()); }
  Quantiles milliseconds() const { return quantiles(milliseconds_); }  ///< of all blocks
  /// Milliseconds an iteration, of each block in which one was timed.
  std::vector<double> block_medians() const;
  double mean_seconds() const;      ///< 0 where none is timed yet
  double input_wait_share() const;  ///< 0 where none is timed yet

 private:
  std::vector<double> milliseconds_;
  std::vector<std::size_t> begins_{0};  ///< of the blocks, in milliseconds_
  std::int64_t warmup_ = 0, warmup_of_block_ = 0;
  double seconds_ = 0, waited_ = 0;
};

}  // namespace halfling
