// SPDX-License-Identifier: Apache-2.0
// Some samples of a data set set apart from the others, spread evenly over it.
#pragma once

#include <cstdint>

namespace halfling {

/// Cuts 0 … size-1 into `picked` runs whose lengths differ by one at most, and picks one index of each, at a
/// fixed hash of the run's number: of samples that lie class after class, each class gives its share to the
/// sample, and classes that alternate cannot fall in step. It depends on the two numbers only and needs no
/// memory.
class SampleSplit {
 public:
  /// 1 <= picked <= size.
  SampleSplit(std::int64_t size, std::int64_t picked);

  std::int64_t picked() const { return runs_; }
  std::int64_t rest() const { return size_ - runs_; }
  /// Index of the i-th picked sample (0 <= i < picked()), and of the i-th other one: both rise. Thread-safe.
  std::int64_t picked_at(std::int64_t i) const;
  std::int64_t rest_at(std::int64_t i) const;

 private:
  std::int64_t begin_of(std::int64_t run) const { return run * length_ + (run < longer_ ? run : longer_); }

  std::int64_t size_, runs_;
  std::int64_t length_;  ///< of a run
  std::int64_t longer_;  ///< so many runs at the beginning have one more
};

}  // namespace halfling
