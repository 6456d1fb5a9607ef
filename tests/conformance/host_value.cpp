// SPDX-License-Identifier: Apache-2.0
#include "host_value.hpp"

#include <cmath>
#include <cstring>

#include "halfling/random.hpp"

namespace halfling::conformance {
namespace {

template <class Stored>
Stored load(const std::byte* from) {
  Stored stored;
  std::memcpy(&stored, from, sizeof stored);
  return stored;
}

template <class Stored>
void store(std::byte* to, Stored stored) {
  std::memcpy(to, &stored, sizeof stored);
}

double drawn(const Fill& fill, std::uint32_t stream, std::uint32_t index) {
  if (fill.kind == Fill::Kind::list) return fill.values[index % fill.values.size()];
  const double u = unit_uniform(random_word({547, 0, 0, 0}, stream, index));
  if (fill.kind == Fill::Kind::reals) return fill.low + (fill.high - fill.low) * u;
  return fill.low + std::floor((fill.high - fill.low + 1) * u);
}

}  // namespace

HostValue::HostValue(DType format, Shape extents)
    : dtype(format), shape(extents), bytes(static_cast<std::size_t>(extents.elements()) * size_of(format)) {}

double HostValue::at(std::size_t index) const {
  const std::byte* from = bytes.data() + index * size_of(dtype);
  switch (dtype) {
    case DType::f64:
      return load<double>(from);
    case DType::f32:
    case DType::tf32:
      return load<float>(from);
    case DType::f16:
      return f16_value(load<std::uint16_t>(from));
    case DType::bf16:
      return bf16_value(load<std::uint16_t>(from));
    case DType::i32:
      return load<std::int32_t>(from);
    case DType::u8:
    case DType::boolean:
      return load<std::uint8_t>(from);
  }
  return 0;
}

void HostValue::set(std::size_t index, double value) {
  std::byte* to = bytes.data() + index * size_of(dtype);
  const double rounded = is_float(dtype) ? round_to(dtype, value) : value;
  switch (dtype) {
    case DType::f64:
      return store(to, rounded);
    case DType::f32:
    case DType::tf32:
      return store(to, static_cast<float>(rounded));
    case DType::f16:
      return store(to, f16_bits(static_cast<float>(rounded)));
    case DType::bf16:
      return store(to, bf16_bits(static_cast<float>(rounded)));
    case DType::i32:
      return store(to, static_cast<std::int32_t>(rounded));
    case DType::u8:
    case DType::boolean:
      return store(to, static_cast<std::uint8_t>(rounded));
  }
}

Fill integers(int n) {
  return {.kind = Fill::Kind::integers, .low = -static_cast<double>(n), .high = static_cast<double>(n)};
}
Fill reals(double low, double high) {
  return {.kind = Fill::Kind::reals, .low = low, .high = high};
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
  return value;
}

}  // namespace halfling::conformance
