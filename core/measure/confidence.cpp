// SPDX-License-Identifier: Apache-2.0
#include "measure/confidence.hpp"

#include <boost/math/distributions/students_t.hpp>
#include <cmath>

namespace halfling {

MeanInterval mean_interval(std::span<const double> values) {
  const auto count = static_cast<double>(values.size());
  double mean = 0, squares = 0;
  for (const double value : values) mean += value / count;
  for (const double value : values) squares += std::pow(value - mean, 2);
  const double t = boost::math::quantile(boost::math::students_t(count - 1), 0.975);
  const double reach = t * std::sqrt(squares / (count - 1) / count);
  return {mean, mean - reach, mean + reach};
}

}  // namespace halfling
