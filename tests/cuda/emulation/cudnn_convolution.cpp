// SPDX-License-Identifier: Apache-2.0
#include "cudnn_convolution.hpp"

namespace emulation {
namespace {

/// Calls f(tap, image, response) for every place of the filter at every place of the response where it meets
/// the image: the number of the place in the filter, and where the channels begin in image and response.
template <class F>
void for_each_tap(const Convolution& c, F f) {
  const Tensor &x = c.image, &w = c.filter, &y = c.response;
  for (std::int64_t n = 0; n < y.n; ++n)
    for (std::int64_t i = 0; i < y.h; ++i)
      for (std::int64_t j = 0; j < y.w; ++j)
        for (std::int64_t a = 0; a < w.h; ++a)
          for (std::int64_t b = 0; b < w.w; ++b) {
            const std::int64_t row = i * c.stride[0] - c.pad[0] + a, column = j * c.stride[1] - c.pad[1] + b;
            if (row < 0 || row >= x.h || column < 0 || column >= x.w) continue;
            f(a * w.w + b, ((n * x.h + row) * x.w + column) * x.c, ((n * y.h + i) * y.w + j) * y.c);
          }
}

/// [k, taps, c] as [taps, outer, inner], where (outer, inner) is (c, k) or (k, c): the inner loops run over
/// neighbours in memory.
std::int64_t packed_index(const Convolution& c, std::int64_t k, std::int64_t tap, std::int64_t channel) {
  return c.direction == Direction::forward ? (tap * c.filter.c + channel) * c.filter.n + k
                                           : (tap * c.filter.n + k) * c.filter.c + channel;
}

template <class F>
void for_each_filter_element(const Convolution& c, F f) {
  std::int64_t index = 0;
  for (std::int64_t k = 0; k < c.filter.n; ++k)
    for (std::int64_t tap = 0; tap < c.filter.h * c.filter.w; ++tap)
      for (std::int64_t channel = 0; channel < c.filter.c; ++channel)
        f(index++, packed_index(c, k, tap, channel));
}

std::vector<float> pack_filter(const Convolution& c, const std::vector<float>& filter) {
  std::vector<float> packed(filter.size());
  for_each_filter_element(c, [&](std::int64_t from, std::int64_t to) {
    packed[static_cast<std::size_t>(to)] = filter[static_cast<std::size_t>(from)];
  });
  return packed;
}

void round_sums(const Convolution& c, double* sums, std::int64_t count) {
  const DType kept = c.type == DType::f32 ? DType::bf16 : c.type;
  for (std::int64_t i = 0; i < count; ++i) sums[i] = halfling::round_to(kept, sums[i]);
}

/// target[inner] += sum over outer of source[outer] * filter[outer][inner]
void multiply_vector(const float* source, std::int64_t outer, const float* filter, std::int64_t inner,
                     double* target) {
  for (std::int64_t o = 0; o < outer; ++o) {
    const double factor = source[o];
    for (std::int64_t i = 0; i < inner; ++i) target[i] += factor * filter[o * inner + i];
  }
}

/// target[outer][inner] += a[outer] * b[inner]
void add_outer_product(const float* a, std::int64_t outer, const float* b, std::int64_t inner,
                       double* target) {
  for (std::int64_t o = 0; o < outer; ++o) {
    const double factor = a[o];
    for (std::int64_t i = 0; i < inner; ++i) target[o * inner + i] += factor * b[i];
  }
}

using Sums = std::vector<double>;

Sums forward(const Convolution& c, const Arithmetic& arithmetic, const ConvolutionData& data) {
  const auto x = load(c.type, data.image, c.image.elements(), arithmetic.operands);
  const auto w = pack_filter(c, load(c.type, data.filter, c.filter.elements(), arithmetic.operands));
  Sums sums(static_cast<std::size_t>(c.response.elements()));
  for_each_tap(c, [&](std::int64_t tap, std::int64_t image, std::int64_t response) {
    multiply_vector(&x[static_cast<std::size_t>(image)], c.image.c,
                    &w[static_cast<std::size_t>(tap * c.image.c * c.response.c)], c.response.c,
                    &sums[static_cast<std::size_t>(response)]);
    if (arithmetic.reduced_sums) round_sums(c, &sums[static_cast<std::size_t>(response)], c.response.c);
  });
  return sums;
}

Sums backward_data(const Convolution& c, const Arithmetic& arithmetic, const ConvolutionData& data) {
  const auto y = load(c.type, data.response, c.response.elements(), arithmetic.operands);
  const auto w = pack_filter(c, load(c.type, data.filter, c.filter.elements(), arithmetic.operands));
  Sums sums(static_cast<std::size_t>(c.image.elements()));
  for_each_tap(c, [&](std::int64_t tap, std::int64_t image, std::int64_t response) {
    multiply_vector(&y[static_cast<std::size_t>(response)], c.response.c,
                    &w[static_cast<std::size_t>(tap * c.image.c * c.response.c)], c.image.c,
                    &sums[static_cast<std::size_t>(image)]);
    if (arithmetic.reduced_sums) round_sums(c, &sums[static_cast<std::size_t>(image)], c.image.c);
  });
  return sums;
}

Sums backward_filter(const Convolution& c, const Arithmetic& arithmetic, const ConvolutionData& data) {
  const auto x = load(c.type, data.image, c.image.elements(), arithmetic.operands);
  const auto y = load(c.type, data.response, c.response.elements(), arithmetic.operands);
  const std::int64_t size = c.image.c * c.response.c;
  Sums packed(static_cast<std::size_t>(c.filter.elements()));
  for_each_tap(c, [&](std::int64_t tap, std::int64_t image, std::int64_t response) {
    double* target = &packed[static_cast<std::size_t>(tap * size)];
    add_outer_product(&y[static_cast<std::size_t>(response)], c.response.c,
                      &x[static_cast<std::size_t>(image)], c.image.c, target);
    if (arithmetic.reduced_sums) round_sums(c, target, size);
  });
  Sums sums(packed.size());
  for_each_filter_element(c, [&](std::int64_t to, std::int64_t from) {
    sums[static_cast<std::size_t>(to)] = packed[static_cast<std::size_t>(from)];
  });
  return sums;
}

void store(const Convolution& c, const Sums& sums, double factor, void* target) {
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const auto index = static_cast<std::int64_t>(i);
    double value = factor * c.alpha * sums[i];
    if (c.beta != 0) value += static_cast<double>(c.beta) * load_one(c.type, target, index);
    store_one(c.type, target, index, value);
  }
}

/// Differs from 1 by more than any test lets pass, each time to the other side.
double disturbance(const Arithmetic& arithmetic) {
  static bool up = false;
  if (!arithmetic.nondeterministic) return 1;
  up = !up;
  return up ? 1.015625 : 0.984375;
}

}  // namespace

void compute(const Convolution& c, const Arithmetic& arithmetic, const ConvolutionData& data) {
  const double factor = disturbance(arithmetic);
  switch (c.direction) {
    case Direction::forward:
      return store(c, forward(c, arithmetic, data), factor, data.response);
    case Direction::backward_data:
      return store(c, backward_data(c, arithmetic, data), factor, data.image);
    case Direction::backward_filter:
      return store(c, backward_filter(c, arithmetic, data), factor, data.filter);
  }
}

}  // namespace emulation
