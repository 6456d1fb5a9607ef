// SPDX-License-Identifier: Apache-2.0
// Batch norm over every axis but C (Ioffe and Szegedy 2015, Algorithm 1 and the gradients of section 3).
#include <cmath>

#include "kernel.hpp"

namespace halfling::reference {
namespace {

/// x seen as [outer N, channel C, inner H x W].
struct Extents {
  std::size_t outer, channels, inner;
  explicit Extents(const Shape& x)
      : outer(static_cast<std::size_t>(x[0])), channels(static_cast<std::size_t>(x[1])) {
    inner = static_cast<std::size_t>(x.elements()) / (outer * channels);
  }
  double count() const { return static_cast<double>(outer * inner); }
  /// Calls visit(index) for every element of a channel.
  template <class Visit>
  void for_each(std::size_t channel, Visit visit) const {
    for (std::size_t n = 0; n < outer; ++n)
      for (std::size_t i = 0; i < inner; ++i) visit((n * channels + channel) * inner + i);
  }
};

}  // namespace

void batch_norm(const Call& call) {
  const std::vector<double>& x = call.in(0).elements;
  const double epsilon = call.attributes<EpsilonAttributes>().epsilon;
  const Extents extents(call.in(0).shape);
  for (std::size_t c = 0; c < extents.channels; ++c) {
    double total = 0;
    extents.for_each(c, [&](std::size_t i) { total += x[i]; });
    const double mean = total / extents.count();
    double squares = 0;
    extents.for_each(c, [&](std::size_t i) { squares += (x[i] - mean) * (x[i] - mean); });
    const double variance = squares / extents.count();
    const double scale = call.in(1).elements[c] / std::sqrt(variance + epsilon);
    const double beta = call.in(2).elements[c];
    extents.for_each(c, [&](std::size_t i) { call.set(i, (x[i] - mean) * scale + beta); });
    call.set(c, mean, 1);
    call.set(c, variance, 2);
  }
}

void batch_norm_gradient(const Call& call) {
  const std::vector<double>& x = call.in(0).elements;
  const std::vector<double>& dy = call.in(4).elements;
  const double epsilon = call.attributes<EpsilonAttributes>().epsilon;
  const Extents extents(call.in(0).shape);
  for (std::size_t c = 0; c < extents.channels; ++c) {
    const double mean = call.in(2).elements[c];
    const double inverse = 1 / std::sqrt(call.in(3).elements[c] + epsilon);
    double dbeta = 0;
    double dgamma = 0;
    extents.for_each(c, [&](std::size_t i) {
      dbeta += dy[i];
      dgamma += dy[i] * (x[i] - mean) * inverse;
    });
    const double scale = call.in(1).elements[c] * inverse;
    extents.for_each(c, [&](std::size_t i) {
      const double normal = (x[i] - mean) * inverse;
      call.set(i, scale * (dy[i] - (dbeta + normal * dgamma) / extents.count()));
    });
    call.set(c, dgamma, 1);
    call.set(c, dbeta, 2);
  }
}

void batch_norm_inference(const Call& call) {
  const double epsilon = call.attributes<EpsilonAttributes>().epsilon;
  const Extents extents(call.in(0).shape);
  for (std::size_t c = 0; c < extents.channels; ++c) {
    const double scale = call.in(1).elements[c] / std::sqrt(call.in(4).elements[c] + epsilon);
    const double mean = call.in(3).elements[c];
    const double beta = call.in(2).elements[c];
    extents.for_each(c, [&](std::size_t i) { call.set(i, (call.in(0).elements[i] - mean) * scale + beta); });
  }
}

}  // namespace halfling::reference
