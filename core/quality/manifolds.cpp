// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "quality/matrix.hpp"
#include "quality/metrics.hpp"

namespace halfling::quality {
namespace {

/// Squared distances of a sample to all of a set. Of differences, so that equal samples have none at all.
Eigen::VectorXd squared_distances(const Columns& set, const Columns::ConstColXpr& sample) {
  return (set.colwise() - sample).colwise().squaredNorm().transpose();
}

/// Of each sample, squared, to its nearest one but `neighbours` - 1, not counting itself.
Eigen::VectorXd radii(const Columns& set, int neighbours) {
  Eigen::VectorXd result(set.cols());
  for (Eigen::Index i = 0; i < set.cols(); ++i) {
    Eigen::VectorXd distances = squared_distances(set, set.col(i));
    std::nth_element(distances.begin(), distances.begin() + neighbours, distances.end());
    result[i] = distances[neighbours];  // the sample itself is the one at 0
  }
  return result;
}

double share_within(const Columns& manifold, const Columns& samples, int neighbours) {
  const Eigen::VectorXd reach = radii(manifold, neighbours);
  Eigen::Index within = 0;
  for (Eigen::Index i = 0; i < samples.cols(); ++i)
    if ((squared_distances(manifold, samples.col(i)).array() <= reach.array()).any()) ++within;
  return static_cast<double>(within) / static_cast<double>(samples.cols());
}

}  // namespace

PrecisionAndRecall precision_and_recall(const Features& real, const Features& generated, int neighbours) {
  check_comparable(real, generated, neighbours + 1);
  const Columns x = columns(real), y = columns(generated);
  return {share_within(x, y, neighbours), share_within(y, x, neighbours)};
}

}  // namespace halfling::quality
