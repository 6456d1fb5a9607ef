// SPDX-License-Identifier: Apache-2.0
#include "input/sample_order.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <map>
#include <vector>

using halfling::SampleOrder;

TEST_CASE("an order visits every sample once, for every size") {
  for (const std::int64_t size : {1, 2, 3, 4, 5, 7, 10, 16, 17, 99, 100, 101, 1000, 4097}) {
    CAPTURE(size);
    const SampleOrder order(size, 547, true);
    for (const std::int64_t epoch : {0, 1, 1000}) {
      std::vector<int> seen(static_cast<std::size_t>(size));
      for (std::int64_t i = 0; i < size; ++i) ++seen.at(static_cast<std::size_t>(order.at(epoch, i)));
      CHECK(seen == std::vector<int>(static_cast<std::size_t>(size), 1));
    }
  }
}

TEST_CASE("an order without shuffling is the data set's") {
  const SampleOrder order(10, 547, false);
  for (std::int64_t i = 0; i < 10; ++i) CHECK(order.at(3, i) == i);
}

TEST_CASE("seed and epoch change the order, and nothing else does") {
  const auto list = [](std::uint64_t seed, std::int64_t epoch) {
    const SampleOrder order(50, seed, true);
    std::vector<std::int64_t> result;
    for (std::int64_t i = 0; i < 50; ++i) result.push_back(order.at(epoch, i));
    return result;
  };
  CHECK(list(1, 0) == list(1, 0));
  CHECK(list(1, 0) != list(2, 0));
  CHECK(list(1, 0) != list(1ull << 32, 0));
  CHECK(list(1, 0) != list(1, 1));
}

TEST_CASE("an order does not overflow at the largest sizes") {
  const std::int64_t size = std::int64_t{1} << 62;
  const SampleOrder order(size, 9, true);
  for (std::int64_t i = 0; i < 100; ++i) {
    const std::int64_t sample = order.at(0, size - 1 - i);
    CHECK(sample >= 0);
    CHECK(sample < size);
  }
}

TEST_CASE("every sample is equally likely at every place") {
  // Chi-square with (n-1)^2 degrees of freedom, far beyond its tail: mean d, deviation sqrt(2 d).
  constexpr int n = 7, epochs = 7000;
  std::array<std::array<int, n>, n> count{};
  const SampleOrder order(n, 31, true);
  for (int epoch = 0; epoch < epochs; ++epoch) {
    for (int i = 0; i < n; ++i) ++count[std::size_t(i)][std::size_t(order.at(epoch, i))];
  }
  const double expected = double(epochs) / n;
  double chi_square = 0;
  for (const auto& row : count) {
    for (const int c : row) chi_square += (c - expected) * (c - expected) / expected;
  }
  const double freedom = (n - 1) * (n - 1);
  CHECK(chi_square < freedom + 5 * std::sqrt(2 * freedom));
  CHECK(chi_square > freedom - 5 * std::sqrt(2 * freedom));
}

TEST_CASE("every order of a tiny data set is equally likely") {
  // Chi-square over all n! orders, 100 of each expected; beyond its tail: mean d, deviation sqrt(2 d).
  int orders = 6;
  for (int n = 4; n <= 7; ++n) {
    CAPTURE(n);
    orders *= n;
    const SampleOrder order(n, 547, true);
    std::map<std::vector<std::int64_t>, int> count;
    for (int epoch = 0; epoch < 100 * orders; ++epoch) {
      std::vector<std::int64_t> seen;
      for (int i = 0; i < n; ++i) seen.push_back(order.at(epoch, i));
      ++count[seen];
    }
    CHECK(count.size() == std::size_t(orders));
    double chi_square = 0;
    for (const auto& [seen, times] : count) chi_square += (times - 100.0) * (times - 100.0) / 100;
    const double freedom = orders - 1;
    CHECK(std::abs(chi_square - freedom) < 5 * std::sqrt(2 * freedom));
  }
}

TEST_CASE("every pair of a small data set is equally likely to begin an epoch") {
  for (const int n : {9, 16, 50, 64, 65, 81, 100}) {
    CAPTURE(n);
    const SampleOrder order(n, 547, true);
    const int pairs = n * (n - 1), expected = 20;
    std::map<std::pair<std::int64_t, std::int64_t>, int> count;
    for (int epoch = 0; epoch < expected * pairs; ++epoch) ++count[{order.at(epoch, 0), order.at(epoch, 1)}];
    double chi_square = expected * double(pairs - int(count.size()));  // of the pairs that never came
    for (const auto& [pair, times] : count)
      chi_square += (times - expected) * double(times - expected) / expected;
    const double freedom = pairs - 1;
    CHECK(std::abs(chi_square - freedom) < 5 * std::sqrt(2 * freedom));
  }
}

TEST_CASE("neighbours of an epoch are no longer neighbours") {
  constexpr std::int64_t n = 60000;
  const SampleOrder order(n, 547, true);
  int neighbours = 0;
  double distance = 0;
  for (std::int64_t i = 1; i < n; ++i) {
    const std::int64_t d = std::abs(order.at(0, i) - order.at(0, i - 1));
    neighbours += d == 1;
    distance += static_cast<double>(d);
  }
  CHECK(neighbours < 12);                                    // 2 are expected
  CHECK(std::abs(distance / (n - 1) / n - 1.0 / 3) < 0.01);  // of a uniform order: n / 3
}
