// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "halfling/error.hpp"
#include "quality/metrics.hpp"

namespace halfling::quality {
namespace {

double entropy(const std::vector<double>& counts) {
  const double all = std::accumulate(counts.begin(), counts.end(), 0.0);
  double sum = 0;
  for (const double count : counts)
    if (count > 0) sum -= count / all * std::log(count / all);
  return sum;
}

void check(std::span<const std::int32_t> seen, std::span<const std::int32_t> expected, std::int64_t classes) {
  const auto is_class = [&](std::int32_t c) { return c >= 0 && c < classes; };
  const auto all_classes = [&](std::span<const std::int32_t> list) {
    return std::all_of(list.begin(), list.end(), is_class);
  };
  if (!seen.empty() && seen.size() == expected.size() && all_classes(seen) && all_classes(expected)) return;
  throw Error({.what = "classes of images cannot be compared",
               .got = fmt::format("{} seen, {} expected", seen.size(), expected.size()),
               .expected = fmt::format("as many of both, at least one, each from 0 to {}", classes - 1)});
}

}  // namespace

ClassMetrics class_metrics(std::span<const std::int32_t> seen, std::span<const std::int32_t> expected,
                           std::int64_t classes) {
  check(seen, expected, classes);
  const auto width = static_cast<std::size_t>(classes);
  std::vector<double> as_expected(width), asked(width), counts(width);
  for (std::size_t i = 0; i < seen.size(); ++i) {
    const auto wanted = static_cast<std::size_t>(expected[i]);
    ++asked[wanted];
    ++counts[static_cast<std::size_t>(seen[i])];
    if (seen[i] == expected[i]) ++as_expected[wanted];
  }
  ClassMetrics figures;
  figures.accuracy =
      std::accumulate(as_expected.begin(), as_expected.end(), 0.0) / static_cast<double>(seen.size());
  for (std::size_t c = 0; c < width; ++c) figures.accuracy_of.push_back(as_expected[c] / asked[c]);
  figures.balance = classes == 1 ? 1 : entropy(counts) / std::log(static_cast<double>(classes));
  return figures;
}

}  // namespace halfling::quality
