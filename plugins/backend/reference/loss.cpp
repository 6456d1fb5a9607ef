// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "kernel.hpp"

namespace halfling::reference {
namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// Row n of a matrix.
std::span<const double> row(const Tensor& x, std::size_t n) {
  const auto width = static_cast<std::size_t>(x.shape[1]);
  return std::span(x.elements).subspan(n * width, width);
}

/// Logits as their distances from the largest one, so that no exponential overflows. A lone infinity is at no
/// distance from itself; of several that are the largest the distance has no limit: NaN.
struct Distances {
  double largest;
  bool shared;         ///< the largest is an infinity that several logits have
  double log_sum = 0;  ///< log(sum(exp(distance)))

  explicit Distances(std::span<const double> logits) : largest(std::ranges::max(logits)) {
    shared = std::isinf(largest) && std::ranges::count(logits, largest) > 1;
    double total = 0;
    for (const double x : logits) total += x == largest ? 1 : std::exp(x - largest);
    log_sum = std::log(total);
  }
  double of(double logit) const {
    if (logit == largest) return shared ? not_a_number : 0;
    return logit - largest;
  }
};

}  // namespace

void softmax(const Call& call) {
  const auto width = static_cast<std::size_t>(call.in(0).shape[1]);
  for (std::size_t n = 0; n < static_cast<std::size_t>(call.in(0).shape[0]); ++n) {
    const auto logits = row(call.in(0), n);
    const Distances distances(logits);
    for (std::size_t k = 0; k < width; ++k)
      call.set(n * width + k, std::exp(distances.of(logits[k]) - distances.log_sum));
  }
}

void sigmoid_cross_entropy(const Call& call) {
  const double target = call.attributes<TargetAttributes>().target;
  const std::vector<double>& logits = call.in(0).elements;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    const double x = logits[i];
    const double slope = x > 0 ? 1 - target : -target;  // of max(x, 0) - x target
    const double linear = slope == 0 ? 0 : slope * x;   // not 0 * infinity
    call.set(i, linear + std::log1p(std::exp(-std::abs(x))));
  }
}

void softmax_cross_entropy(const Call& call) {
  const auto classes = call.in(0).shape[1];
  for (std::size_t n = 0; n < static_cast<std::size_t>(call.in(0).shape[0]); ++n) {
    const auto label = static_cast<std::int64_t>(call.in(1).elements[n]);
    const auto logits = row(call.in(0), n);
    const Distances distances(logits);
    const bool valid = label >= 0 && label < classes;
    call.set(
        n, valid ? distances.log_sum - distances.of(logits[static_cast<std::size_t>(label)]) : not_a_number);
  }
}

}  // namespace halfling::reference
