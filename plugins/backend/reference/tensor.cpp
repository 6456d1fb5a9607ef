// SPDX-License-Identifier: Apache-2.0
#include "tensor.hpp"

#include <cstring>

#include "halfling/error.hpp"

namespace halfling::reference {
namespace {

void check_size(const Tensor& tensor, std::string_view name, std::size_t got) {
  if (got == tensor.byte_size()) return;
  throw Error({.what = "a host buffer has the wrong size",
               .where = std::string(name),
               .got = std::to_string(got) + " bytes",
               .expected = std::to_string(tensor.byte_size()) + " bytes for " +
                           std::string(name_of(tensor.dtype)) + " " + tensor.shape.text(),
               .hint = {}});
}

}  // namespace

Tensor::Tensor(DType format, Shape extents, double value)
    : dtype(format), shape(extents), elements(static_cast<std::size_t>(extents.elements()), value) {}

void load(Tensor& tensor, std::string_view name, std::span<const std::byte> bytes) {
  check_size(tensor, name, bytes.size());
  with_storage(tensor.dtype, [&]<class Storage>(Storage) {
    typename Storage::Element stored;
    const std::byte* from = bytes.data();
    for (double& element : tensor.elements) {
      std::memcpy(&stored, from, sizeof stored);
      element = Storage::value(stored);
      from += sizeof stored;
    }
  });
}

void store(const Tensor& tensor, std::string_view name, std::span<std::byte> bytes) {
  check_size(tensor, name, bytes.size());
  with_storage(tensor.dtype, [&]<class Storage>(Storage) {
    std::byte* to = bytes.data();
    for (const double element : tensor.elements) {
      const auto stored = Storage::element(element);
      std::memcpy(to, &stored, sizeof stored);
      to += sizeof stored;
    }
  });
}

std::int64_t broadcast_index(const Shape& result, const Shape& operand, std::int64_t index) {
  std::int64_t found = 0;
  std::int64_t stride = 1;
  for (int axis = result.rank() - 1; axis >= 0; --axis) {
    const std::int64_t coordinate = index % result[axis];
    index /= result[axis];
    if (operand[axis] != 1) found += coordinate * stride;
    stride *= operand[axis];
  }
  return found;
}

}  // namespace halfling::reference
