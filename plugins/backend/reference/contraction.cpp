// SPDX-License-Identifier: Apache-2.0
// Matrix products and the convolution family.
#include "kernel.hpp"

namespace halfling::reference {
namespace {

/// An operand as the multiplier sees it: in the compute format.
std::vector<double> factors(const Call& call, std::size_t operand) {
  std::vector<double> values = call.in(operand).elements;
  for (double& value : values) value = round_to(call.node->compute, value);
  return values;
}

/// Calls visit(x, w, y) with the element indices of every product x * w that adds to y in y = conv2d(x, w).
/// The whole family is this one list of products, summed over a different index.
template <class Visit>
void for_each_product(const Shape& x, const Shape& w, const Shape& y, const ConvAttributes& conv,
                      Visit visit) {
  for (std::int64_t n = 0; n < y[0]; ++n)
    for (std::int64_t o = 0; o < y[1]; ++o)
      for (std::int64_t c = 0; c < x[1]; ++c)
        for (std::int64_t row = 0; row < y[2]; ++row)
          for (std::int64_t i = 0; i < w[2]; ++i) {
            const std::int64_t h = row * conv.stride - conv.padding + i;
            if (h < 0 || h >= x[2]) continue;
            for (std::int64_t column = 0; column < y[3]; ++column)
              for (std::int64_t j = 0; j < w[3]; ++j) {
                const std::int64_t v = column * conv.stride - conv.padding + j;
                if (v < 0 || v >= x[3]) continue;
                visit(static_cast<std::size_t>(((n * x[1] + c) * x[2] + h) * x[3] + v),
                      static_cast<std::size_t>(((o * x[1] + c) * w[2] + i) * w[3] + j),
                      static_cast<std::size_t>(((n * y[1] + o) * y[2] + row) * y[3] + column));
              }
          }
}

}  // namespace

void matmul(const Call& call) {
  const auto& [transpose_a, transpose_b] = call.attributes<MatmulAttributes>();
  const std::vector<double> a = factors(call, 0);
  const std::vector<double> b = factors(call, 1);
  const std::int64_t m = call.out().shape[0];
  const std::int64_t n = call.out().shape[1];
  const std::int64_t k = call.in(0).shape[transpose_a ? 0 : 1];
  for (std::int64_t row = 0; row < m; ++row)
    for (std::int64_t column = 0; column < n; ++column) {
      double total = 0;
      for (std::int64_t i = 0; i < k; ++i)
        total += a[static_cast<std::size_t>(transpose_a ? i * m + row : row * k + i)] *
                 b[static_cast<std::size_t>(transpose_b ? column * k + i : i * n + column)];
      call.set(static_cast<std::size_t>(row * n + column), total);
    }
}

void conv2d(const Call& call) {
  const std::vector<double> x = factors(call, 0);
  const std::vector<double> w = factors(call, 1);
  std::vector<double> y(call.out().elements.size());
  for_each_product(call.in(0).shape, call.in(1).shape, call.out().shape, call.attributes<ConvAttributes>(),
                   [&](std::size_t xi, std::size_t wi, std::size_t yi) { y[yi] += x[xi] * w[wi]; });
  call.set_all(y);
}

void conv2d_input_gradient(const Call& call) {
  const std::vector<double> dy = factors(call, 0);
  const std::vector<double> w = factors(call, 1);
  std::vector<double> dx(call.out().elements.size());
  for_each_product(call.out().shape, call.in(1).shape, call.in(0).shape, call.attributes<ConvAttributes>(),
                   [&](std::size_t xi, std::size_t wi, std::size_t yi) { dx[xi] += dy[yi] * w[wi]; });
  call.set_all(dx);
}

void conv2d_weight_gradient(const Call& call) {
  const std::vector<double> x = factors(call, 0);
  const std::vector<double> dy = factors(call, 1);
  std::vector<double> dw(call.out().elements.size());
  for_each_product(call.in(0).shape, call.out().shape, call.in(1).shape, call.attributes<ConvAttributes>(),
                   [&](std::size_t xi, std::size_t wi, std::size_t yi) { dw[wi] += x[xi] * dy[yi]; });
  call.set_all(dw);
}

}  // namespace halfling::reference
