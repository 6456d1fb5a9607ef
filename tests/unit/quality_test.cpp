// SPDX-License-Identifier: Apache-2.0
// The figures against those of numpy and scipy (tests/data/quality.py), and where they are known by thought.
#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>

#include "quality/metrics.hpp"
#include "scratch.hpp"

using namespace halfling;
using namespace halfling::quality;
using halfling::test::error_of;
using nlohmann::json;

namespace {

json reference() {
  return json::parse(test::read_file(std::filesystem::path(HALFLING_TEST_DATA) / "quality.json"));
}

Features features(std::int64_t width, std::vector<double> values) {
  const auto count = static_cast<std::int64_t>(values.size()) / width;
  return {count, width, std::move(values)};
}

doctest::Approx near(double value) {
  return doctest::Approx(value).epsilon(1e-10);
}

/// Samples on a line, in one dimension.
Features line(std::vector<double> values) {
  return features(1, std::move(values));
}

}  // namespace

TEST_CASE("distances, precision and recall are numpy's and scipy's") {
  const json all = reference();  // a loop does not keep a temporary alive
  CHECK(all["figures"].size() == 3);
  for (const json& c : all["figures"]) {
    CAPTURE(c["name"].get<std::string>());
    const Features a = features(c["width"], c["a"]), b = features(c["width"], c["b"]);
    // Without full rank, the root is known to half the digits only: rounding decides a zero.
    const double digits = c["name"] == "singular" ? 1e-6 : 1e-10;
    CHECK(frechet_distance(a, b) == doctest::Approx(c["frechet_distance"].get<double>()).epsilon(digits));
    CHECK(frechet_distance(b, a) == doctest::Approx(frechet_distance(a, b)).epsilon(digits));
    CHECK(kernel_distance(a, b) == near(c["kernel_distance"]));
    for (const int k : {1, 3, 5}) {
      const PrecisionAndRecall got = precision_and_recall(a, b, k);
      CHECK(got.precision == near(c["precision"][std::to_string(k)]));
      CHECK(got.recall == near(c["recall"][std::to_string(k)]));
    }
  }
}

TEST_CASE("accuracy and balance of classes are numpy's and scipy's") {
  const json c = reference()["classes"];
  const std::vector<std::int32_t> seen = c["seen"], expected = c["expected"];
  const ClassMetrics figures = class_metrics(seen, expected, c["classes"]);
  CHECK(figures.accuracy == near(c["accuracy"]));
  CHECK(figures.balance == near(c["balance"]));
  REQUIRE(figures.accuracy_of.size() == 6);
  for (std::size_t i = 0; i < 5; ++i) CHECK(figures.accuracy_of[i] == near(c["accuracy_of"][i]));
  CHECK(std::isnan(figures.accuracy_of[5]));  // nothing was asked to be of it
}

TEST_CASE("figures that are known by thought") {
  const Features a = line({1, 2, 3, 4, 6});
  CHECK(std::abs(frechet_distance(a, a)) < 1e-12);
  CHECK(frechet_distance(a, line({11, 12, 13, 14, 16})) == near(100));  // the means are 10 apart
  CHECK(frechet_distance(a, line({2, 4, 6, 8, 12})) ==
        near(3.2 * 3.2 + 3.7));  // means 3.2, deviations s and 2 s
  // The balls reach to the nearest neighbour: [-1, 1], [0, 2], [1, 9]; [1.5, 2.5], [2, 17], [1, 2],
  // [9.5, 30.5].
  const PrecisionAndRecall figures = precision_and_recall(line({0, 1, 5}), line({2, 9.5, 1.5, 20}), 1);
  CHECK(figures.precision == near(2.0 / 4));
  CHECK(figures.recall == near(2.0 / 3));
  CHECK(precision_and_recall(a, a).precision == 1);
  CHECK(precision_and_recall(a, a).recall == 1);
  CHECK(precision_and_recall(a, line({90, 91, 92, 93})).precision == 0);
  CHECK(precision_and_recall(a, line({90, 91, 92, 93})).recall == 0);
  const std::vector<std::int32_t> even{0, 1, 0, 1}, one{1, 1, 1, 1};
  CHECK(class_metrics(even, one, 2).balance == near(1));
  CHECK(class_metrics(even, one, 2).accuracy == near(0.5));
  CHECK(class_metrics(one, even, 2).balance == 0);
  CHECK(class_metrics(std::vector<std::int32_t>{0}, std::vector<std::int32_t>{0}, 1).balance == 1);
}

TEST_CASE("sets that cannot be compared are refused, and no figure is a NaN") {
  const Features wide = features(3, {1, 2, 3, 4, 5, 6, 7, 8, 10});
  const ErrorDetails few = error_of([&] { frechet_distance(wide, wide); });
  CHECK(few.what == "there are too few samples to compare features");
  CHECK(few.got == "3 samples of 3 features");
  CHECK(few.expected == "at least 4 samples");
  CHECK(error_of([&] { kernel_distance(wide, features(3, {1, 2, 3})); }).expected == "at least 2 samples");
  CHECK(error_of([&] { precision_and_recall(wide, wide); }).expected == "at least 4 samples");
  CHECK(error_of([&] { kernel_distance(wide, line({1, 2})); }).got == "3 and 1 features");
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(error_of([&] { kernel_distance(line({1, nan}), line({1, 2})); }).what == "features are not finite");
  const std::vector<std::int32_t> two{0, 1}, three{0, 1, 2};
  CHECK(error_of([&] { class_metrics(two, three, 3); }).got == "2 seen, 3 expected");
  CHECK(error_of([&] { class_metrics(three, three, 2); }).expected ==
        "as many of both, at least one, each from 0 to 1");
}
