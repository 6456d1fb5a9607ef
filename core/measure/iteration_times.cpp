// SPDX-License-Identifier: Apache-2.0
#include "measure/iteration_times.hpp"

namespace halfling {

void IterationTimes::begin_block() {
  warmup_of_block_ = 0;
  if (begins_.back() < milliseconds_.size()) begins_.push_back(milliseconds_.size());
}

void IterationTimes::add(double seconds, double waited) {
  if (warmup_of_block_ < warmup) {
    ++warmup_;
    ++warmup_of_block_;
    return;
  }
  milliseconds_.push_back(1000 * seconds);
  seconds_ += seconds;
  waited_ += waited;
}

std::vector<double> IterationTimes::block_medians() const {
  std::vector<double> medians;
  for (std::size_t i = 0; i < begins_.size(); ++i) {
    const std::size_t end = i + 1 < begins_.size() ? begins_[i + 1] : milliseconds_.size();
    const auto at = [&](std::size_t index) {
      return milliseconds_.begin() + static_cast<std::ptrdiff_t>(index);
    };
    if (begins_[i] < end) medians.push_back(quantiles({at(begins_[i]), at(end)}).median);
  }
  return medians;
}

double IterationTimes::mean_seconds() const {
  return milliseconds_.empty() ? 0 : seconds_ / static_cast<double>(milliseconds_.size());
}

double IterationTimes::input_wait_share() const {
  return seconds_ > 0 ? waited_ / seconds_ : 0;
}

}  // namespace halfling
