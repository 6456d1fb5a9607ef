// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "kernel.hpp"

namespace halfling::reference {

void sum(const Call& call) {
  const Tensor& x = call.in(0);
  std::vector<double> totals(call.out().elements.size());
  for (std::size_t i = 0; i < x.elements.size(); ++i) {
    const auto at = broadcast_index(x.shape, call.out().shape, static_cast<std::int64_t>(i));
    totals[static_cast<std::size_t>(at)] += x.elements[i];
  }
  call.set_all(totals);
}

void any_nonfinite(const Call& call) {
  const auto nonfinite = [](const Tensor* tensor) {
    return std::ranges::any_of(tensor->elements, [](double value) { return !std::isfinite(value); });
  };
  call.set(0, std::ranges::any_of(call.operands, nonfinite));
}

void exponent_histogram(const Call& call) {
  std::vector<double> counts(histogram_counts);
  for (const double value : call.in(0).elements) {
    if (value == 0) {
      ++counts.front();
    } else if (!std::isfinite(value)) {
      ++counts.back();
    } else {
      const int exponent = std::clamp(std::ilogb(value), least_exponent, greatest_exponent);
      ++counts[static_cast<std::size_t>(1 + exponent - least_exponent)];
    }
  }
  call.set_all(counts);
}

}  // namespace halfling::reference
