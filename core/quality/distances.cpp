// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>

#include "halfling/error.hpp"
#include "quality/matrix.hpp"
#include "quality/metrics.hpp"

namespace halfling::quality {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr Eigen::Index block = 256;  ///< samples whose kernel values are held at a time

MatrixXd covariance(const Columns& set, const VectorXd& mean) {
  const MatrixXd centred = set.colwise() - mean;
  return centred * centred.transpose() / static_cast<double>(set.cols() - 1);
}

/// Of a covariance, by its eigenvalues: what rounding makes negative is zero.
MatrixXd square_root(const MatrixXd& matrix) {
  const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(matrix);
  const VectorXd roots = solver.eigenvalues().cwiseMax(0).cwiseSqrt();
  return solver.eigenvectors() * roots.asDiagonal() * solver.eigenvectors().transpose();
}

/// Of (A B)^(1/2), which has the eigenvalues of the symmetric (A^(1/2) B A^(1/2))^(1/2).
double trace_of_root_of_product(const MatrixXd& a, const MatrixXd& b) {
  const MatrixXd root = square_root(a);
  const MatrixXd product = root * b * root;
  const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(0.5 * (product + product.transpose()),
                                                       Eigen::EigenvaluesOnly);
  return solver.eigenvalues().cwiseMax(0).cwiseSqrt().sum();
}

/// Of the kernel over all pairs of a sample of `a` and one of `b`.
double kernel_sum(const Columns& a, const Columns& b) {
  double sum = 0;
  for (Eigen::Index i = 0; i < a.cols(); i += block) {
    const auto part = a.middleCols(i, std::min(block, a.cols() - i));
    sum += ((part.transpose() * b).array() / static_cast<double>(a.rows()) + 1).cube().sum();
  }
  return sum;
}

/// Mean of the kernel over the pairs of two different samples.
double mean_within(const Columns& set) {
  const double with_itself =
      (set.colwise().squaredNorm().array() / static_cast<double>(set.rows()) + 1).cube().sum();
  const auto count = static_cast<double>(set.cols());
  return (kernel_sum(set, set) - with_itself) / (count * (count - 1));
}

Error not_comparable(std::string what, std::string got, std::string expected) {
  return Error({.what = std::move(what), .got = std::move(got), .expected = std::move(expected)});
}

}  // namespace

void check_comparable(const Features& a, const Features& b, std::int64_t fewest) {
  if (a.width != b.width || a.width < 1)
    throw not_comparable("features of two extractors cannot be compared",
                         fmt::format("{} and {} features", a.width, b.width), "as many of both");
  for (const Features* set : {&a, &b}) {
    if (set->count < fewest)
      throw not_comparable("there are too few samples to compare features",
                           fmt::format("{} samples of {} features", set->count, set->width),
                           fmt::format("at least {} samples", fewest));
    if (!columns(*set).allFinite())
      throw not_comparable("features are not finite", "a NaN or an infinity", "finite numbers");
  }
}

double frechet_distance(const Features& a, const Features& b) {
  check_comparable(a, b, std::max<std::int64_t>(a.width + 1, 2));
  const Columns x = columns(a), y = columns(b);
  const VectorXd mean_x = x.rowwise().mean(), mean_y = y.rowwise().mean();
  const MatrixXd covariance_x = covariance(x, mean_x), covariance_y = covariance(y, mean_y);
  return (mean_x - mean_y).squaredNorm() + covariance_x.trace() + covariance_y.trace() -
         2 * trace_of_root_of_product(covariance_x, covariance_y);
}

double kernel_distance(const Features& a, const Features& b) {
  check_comparable(a, b, 2);
  const Columns x = columns(a), y = columns(b);
  const double pairs = static_cast<double>(x.cols()) * static_cast<double>(y.cols());
  return mean_within(x) + mean_within(y) - 2 * kernel_sum(x, y) / pairs;
}

}  // namespace halfling::quality
