// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <span>

#include "halfling/error.hpp"
#include "kernel.hpp"

namespace halfling::reference {
namespace {

/// Row n of a matrix.
std::span<const double> row(const Tensor& x, std::size_t n) {
  const auto width = static_cast<std::size_t>(x.shape[1]);
  return std::span(x.elements).subspan(n * width, width);
}

/// log(sum(exp(x))), without overflow.
double log_sum_exp(std::span<const double> x) {
  const double largest = std::ranges::max(x);
  double total = 0;
  for (const double value : x) total += std::exp(value - largest);
  return largest + std::log(total);
}

}  // namespace

void softmax(const Call& call) {
  const auto width = static_cast<std::size_t>(call.in(0).shape[1]);
  for (std::size_t n = 0; n < static_cast<std::size_t>(call.in(0).shape[0]); ++n) {
    const auto logits = row(call.in(0), n);
    const double total = log_sum_exp(logits);
    for (std::size_t k = 0; k < width; ++k) call.set(n * width + k, std::exp(logits[k] - total));
  }
}

void sigmoid_cross_entropy(const Call& call) {
  const double target = call.attributes<TargetAttributes>().target;
  const std::vector<double>& logits = call.in(0).elements;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    const double x = logits[i];
    call.set(i, std::max(x, 0.0) - x * target + std::log1p(std::exp(-std::abs(x))));
  }
}

void softmax_cross_entropy(const Call& call) {
  const auto classes = call.in(0).shape[1];
  for (std::size_t n = 0; n < static_cast<std::size_t>(call.in(0).shape[0]); ++n) {
    const auto label = static_cast<std::int64_t>(call.in(1).elements[n]);
    if (label < 0 || label >= classes)
      throw Error({.what = "a label is not one of the classes",
                   .where = call.node->scope + "/softmax_cross_entropy",
                   .got = std::to_string(label),
                   .expected = "0 to " + std::to_string(classes - 1),
                   .hint = {}});
    const auto logits = row(call.in(0), n);
    call.set(n, log_sum_exp(logits) - logits[static_cast<std::size_t>(label)]);
  }
}

}  // namespace halfling::reference
