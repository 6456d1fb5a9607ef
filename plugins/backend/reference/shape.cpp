// SPDX-License-Identifier: Apache-2.0
// Ops that move or convert values without computing.
#include <algorithm>
#include <limits>

#include "kernel.hpp"

namespace halfling::reference {
namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// A shape around one axis: [outer, extent of the axis, inner].
struct Around {
  std::size_t outer = 1, extent = 1, inner = 1;
  Around(const Shape& shape, int axis) : extent(static_cast<std::size_t>(shape[axis])) {
    for (int i = 0; i < axis; ++i) outer *= static_cast<std::size_t>(shape[i]);
    for (int i = axis + 1; i < shape.rank(); ++i) inner *= static_cast<std::size_t>(shape[i]);
  }
};

}  // namespace

void copy(const Call& call) {
  call.out().elements = call.in(0).elements;
}

void broadcast(const Call& call) {
  for (std::size_t i = 0; i < call.out().elements.size(); ++i) {
    const auto at = broadcast_index(call.out().shape, call.in(0).shape, static_cast<std::int64_t>(i));
    call.out().elements[i] = call.in(0).elements[static_cast<std::size_t>(at)];
  }
}

void concat(const Call& call) {
  const int axis = call.attributes<AxisAttributes>().axis;
  const Around whole(call.out().shape, axis);
  std::size_t begin = 0;
  for (const Tensor* operand : call.operands) {
    const Around part(operand->shape, axis);
    const std::size_t run = part.extent * part.inner;
    for (std::size_t i = 0; i < part.outer; ++i)
      std::copy_n(operand->elements.begin() + static_cast<std::ptrdiff_t>(i * run), run,
                  call.out().elements.begin() +
                      static_cast<std::ptrdiff_t>((i * whole.extent + begin) * whole.inner));
    begin += part.extent;
  }
}

void slice(const Call& call) {
  const auto& [axis, begin, length] = call.attributes<AxisAttributes>();
  const Around whole(call.in(0).shape, axis);
  const std::size_t run = static_cast<std::size_t>(length) * whole.inner;
  for (std::size_t i = 0; i < whole.outer; ++i)
    std::copy_n(
        call.in(0).elements.begin() +
            static_cast<std::ptrdiff_t>((i * whole.extent + static_cast<std::size_t>(begin)) * whole.inner),
        run, call.out().elements.begin() + static_cast<std::ptrdiff_t>(i * run));
}

void cast(const Call& call) {  // one rounding, whatever the compute format
  const DType to = call.out().dtype;
  std::ranges::transform(call.in(0).elements, call.out().elements.begin(),
                         [to](double value) { return is_float(to) ? round_to(to, value) : value; });
}

void one_hot(const Call& call) {
  const auto classes = static_cast<std::size_t>(call.out().shape[1]);
  for (std::size_t i = 0; i < call.out().elements.size(); ++i) {
    const double label = call.in(0).elements[i / classes];
    const bool valid = label >= 0 && label < static_cast<double>(classes);
    call.out().elements[i] = valid ? label == static_cast<double>(i % classes) : not_a_number;
  }
}

}  // namespace halfling::reference
