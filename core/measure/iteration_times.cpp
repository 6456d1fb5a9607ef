// SPDX-License-Identifier: Apache-2.0
#include "measure/iteration_times.hpp"

namespace halfling {

void IterationTimes::add(double seconds, double waited) {
  if (warmup_ < warmup) {
    ++warmup_;
    return;
  }
  milliseconds_.push_back(1000 * seconds);
  seconds_ += seconds;
  waited_ += waited;
}

double IterationTimes::mean_seconds() const {
  return milliseconds_.empty() ? 0 : seconds_ / static_cast<double>(milliseconds_.size());
}

double IterationTimes::input_wait_share() const {
  return seconds_ > 0 ? waited_ / seconds_ : 0;
}

}  // namespace halfling
