// SPDX-License-Identifier: Apache-2.0
// The extent of a value: up to four dimensions, logical order N, C, H, W. Rank 0 is a scalar.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>

#include "halfling/export.hpp"

namespace halfling {

class HALFLING_API Shape {
 public:
  static constexpr int max_rank = 4;

  Shape() = default;
  Shape(std::initializer_list<std::int64_t> extents);

  int rank() const { return rank_; }
  std::int64_t operator[](int axis) const { return extents_[static_cast<std::size_t>(axis)]; }
  std::int64_t& operator[](int axis) { return extents_[static_cast<std::size_t>(axis)]; }
  void push_back(std::int64_t extent);
  std::int64_t elements() const;
  std::string text() const;  ///< "[64, 1, 28, 28]"
  bool operator==(const Shape&) const = default;

 private:
  std::array<std::int64_t, max_rank> extents_{};
  int rank_ = 0;
};

}  // namespace halfling
