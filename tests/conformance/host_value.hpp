// SPDX-License-Identifier: Apache-2.0
// A whole value in host memory, in its storage format, and what fills one.
#pragma once

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "halfling/dtype.hpp"
#include "halfling/shape.hpp"

namespace halfling::conformance {

struct HostValue {
  DType dtype = DType::f32;
  Shape shape;
  std::vector<std::byte> bytes;  ///< logical order, densely packed

  HostValue() = default;
  HostValue(DType format, Shape extents);
  std::size_t size() const { return static_cast<std::size_t>(shape.elements()); }
  double at(std::size_t index) const;
  void set(std::size_t index, double value);  ///< rounded to the format
  bool operator==(const HostValue&) const = default;
};

/// How test data are drawn; always the same for the same name.
struct Fill {
  enum class Kind { integers, reals, normals, list } kind = Kind::integers;
  double low = -3;
  double high = 3;
  std::vector<double> values{};                           ///< list: repeated in order
  std::vector<std::pair<std::size_t, double>> instead{};  ///< elements that are these numbers instead
};

/// Small whole numbers from -n to n: sums and products of them are exact in every format's arithmetic.
Fill integers(int n);
/// Uniform in [low, high).
Fill reals(double low, double high);
Fill normals(double mean, double deviation);
Fill list(std::vector<double> values);

HostValue filled(DType dtype, Shape shape, const Fill& fill, std::string_view name);

}  // namespace halfling::conformance
