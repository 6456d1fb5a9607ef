// SPDX-License-Identifier: Apache-2.0
#include "halfling/shape.hpp"

#include "halfling/error.hpp"

namespace halfling {

Shape::Shape(std::initializer_list<std::int64_t> extents) {
  for (const std::int64_t extent : extents) push_back(extent);
}

void Shape::push_back(std::int64_t extent) {
  if (rank_ == max_rank) {
    throw Error({.what = "a shape has at most " + std::to_string(max_rank) + " dimensions",
                 .got = text() + " and " + std::to_string(extent)});
  }
  extents_[static_cast<std::size_t>(rank_++)] = extent;
}

std::int64_t Shape::elements() const {
  std::int64_t count = 1;
  for (int axis = 0; axis < rank_; ++axis) count *= (*this)[axis];
  return count;
}

std::string Shape::text() const {
  std::string result = "[";
  for (int axis = 0; axis < rank_; ++axis) {
    if (axis > 0) result += ", ";
    result += std::to_string((*this)[axis]);
  }
  return result + "]";
}

}  // namespace halfling
