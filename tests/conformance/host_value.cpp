// SPDX-License-Identifier: Apache-2.0
#include "host_value.hpp"

#include <cmath>
#include <cstring>

#include "halfling/random.hpp"

namespace halfling::conformance {
namespace {

double drawn(const Fill& fill, std::uint32_t stream, std::uint32_t index) {
  if (fill.kind == Fill::Kind::list) return fill.values[index % fill.values.size()];
  const PhiloxWords state{547, 0, 0, 0};
  if (fill.kind == Fill::Kind::normals) {
    const std::uint32_t first = random_word(state, stream, index & ~1u);
    return normal_element(first, random_word(state, stream, index | 1u), index % 2 == 1, fill.low, fill.high);
  }
  const double u = unit_uniform(random_word(state, stream, index));
  if (fill.kind == Fill::Kind::reals) return fill.low + (fill.high - fill.low) * u;
  return fill.low + std::floor((fill.high - fill.low + 1) * u);
}

}  // namespace

HostValue::HostValue(DType format, Shape extents)
    : dtype(format), shape(extents), bytes(static_cast<std::size_t>(extents.elements()) * size_of(format)) {}

double HostValue::at(std::size_t index) const {
  return with_storage(dtype, [&]<class Storage>(Storage) {
    typename Storage::Element element;
    std::memcpy(&element, bytes.data() + index * sizeof element, sizeof element);
    return Storage::value(element);
  });
}

void HostValue::set(std::size_t index, double value) {
  with_storage(dtype, [&]<class Storage>(Storage) {
    const auto element = Storage::element(is_float(dtype) ? round_to(dtype, value) : value);
    std::memcpy(bytes.data() + index * sizeof element, &element, sizeof element);
  });
}

Fill integers(int n) {
  return {.kind = Fill::Kind::integers, .low = -static_cast<double>(n), .high = static_cast<double>(n)};
}
Fill reals(double low, double high) {
  return {.kind = Fill::Kind::reals, .low = low, .high = high};
}
Fill normals(double mean, double deviation) {
  return {.kind = Fill::Kind::normals, .low = mean, .high = deviation};
}
Fill list(std::vector<double> values) {
  return {.kind = Fill::Kind::list, .values = std::move(values)};
}

HostValue filled(DType dtype, Shape shape, const Fill& fill, std::string_view name) {
  HostValue value(dtype, shape);
  const std::uint32_t stream = stream_of(name);
  for (std::uint32_t i = 0; i < value.size(); ++i) value.set(i, drawn(fill, stream, i));
  const bool lone_zero = fill.kind == Fill::Kind::integers && value.size() == 1 && value.at(0) == 0;
  if (lone_zero) value.set(0, fill.high);  // it would prove nothing
  for (const auto& [index, number] : fill.instead) value.set(index, number);
  return value;
}

}  // namespace halfling::conformance
