// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "report/metrics.hpp"
#include "report/progress.hpp"
#include "report/summary.hpp"
#include "scratch.hpp"

using namespace halfling;
using namespace halfling::test;

namespace {

RunFigures figures_at(std::int64_t iteration) {
  return {iteration, 0, 0.5 * static_cast<double>(iteration), 100, {}, {{"d", 1.5, 65536, 2, 1}}};
}

}  // namespace

TEST_CASE("metrics are lines of JSON, where numbers that JSON lacks are strings") {
  const Scratch scratch;
  const auto file = scratch / "metrics.jsonl";
  {
    MetricsFile metrics(file, 0);
    RunFigures figures = figures_at(1);
    figures.operations[0].loss = std::numeric_limits<double>::quiet_NaN();
    figures.operations[0].scale = std::numeric_limits<double>::infinity();
    metrics.append(figures);
    metrics.append(figures);  // the same iteration is written once
  }
  CHECK(read_file(file) ==
        "{\"iteration\":1,\"epoch\":0,\"elapsed_s\":0.5,\"images_per_s\":100.0,\"operations\":{\"d\":{"
        "\"loss\":\"nan\",\"scale\":\"inf\",\"skipped\":2,\"found\":1}}}\n");
}

TEST_CASE("metrics continue after an iteration and drop what is later or torn") {
  const Scratch scratch;
  const auto file = scratch / "metrics.jsonl";
  {
    MetricsFile metrics(file, 0);
    for (std::int64_t i = 1; i <= 5; ++i) metrics.append(figures_at(i));
  }
  const std::string five = read_file(file);
  write_file(file, five + "{\"iteration\":6,\"ep");
  MetricsFile metrics(file, 3);
  CHECK(metrics.elapsed() == 1.5);
  CHECK(metrics.kept().iteration == 3);
  REQUIRE(metrics.kept().operations.size() == 1);
  CHECK(metrics.kept().operations[0].loss == 1.5);
  CHECK(metrics.kept().operations[0].scale == 65536);
  CHECK(metrics.kept().operations[0].skipped == 2);
  for (std::int64_t i = 3; i <= 5; ++i) metrics.append(figures_at(i));
  CHECK(read_file(file) == five);
  CHECK(MetricsFile(file, 0).elapsed() == 0);
  CHECK(read_file(file).empty());
  CHECK(!error_of([&] { MetricsFile(scratch / "absent" / "metrics.jsonl", 0); }).what.empty());
}

TEST_CASE("a summary survives its file") {
  const Scratch scratch;
  const auto file = scratch / "summary.json";
  Summary summary;
  summary.status = "interrupted";
  summary.label = "precision.use=mixed";
  summary.native = false;
  summary.emulated = {"f16"};
  summary.batch_size = 64;
  summary.iterations = 7;
  summary.ms_per_iteration = {2, 1, 3};
  summary.images_per_s = 2570;
  summary.peak_bytes = 1 << 20;
  summary.planned = {1, 2, 3, 4};
  summary.operations = {{"d", std::numeric_limits<double>::infinity(), 1024, 3}};
  write_summary(file, summary);
  const auto read = read_summary(file);
  REQUIRE(read.has_value());
  CHECK(read->status == "interrupted");
  CHECK(read->label == summary.label);
  CHECK(read->native == false);
  CHECK(read->emulated == summary.emulated);
  CHECK(read->iterations == 7);
  CHECK(read->ms_per_iteration.p90 == 3);
  CHECK(read->images_per_s == 2570);
  CHECK(read->ms_per_1000_samples() == doctest::Approx(31.25));
  CHECK(read->planned.total() == 10);
  REQUIRE(read->operations.size() == 1);
  CHECK(std::isinf(read->operations[0].loss));
  CHECK(read->operations[0].skipped == 3);

  summary.ms_per_iteration = quantiles({});
  write_summary(file, summary);
  CHECK(nlohmann::json::parse(read_file(file))["ms_per_iteration"]["median"].is_null());
  CHECK(std::isnan(read_summary(file)->ms_per_iteration.median));
  write_file(file, "{\"status\": \"done\"");
  CHECK(!read_summary(file).has_value());
  CHECK(!read_summary(scratch / "absent").has_value());
}

TEST_CASE("the status line says what matters in one glance") {
  RunFigures figures = figures_at(1200);
  figures.images_per_s = 3210.4;
  figures.left = 271.2;
  figures.operations = {{"d", 1.3121, 65536, 3}, {"g", 0.8, 65536, 0}};
  CHECK(status_text(figures) ==
        "it 1200  d 1.312  g 0.8000  scale 65536  skipped 3  3210 images/s  4:32 left");
  figures.operations[1].scale = 32768;
  figures.left.reset();
  CHECK(status_text(figures) ==
        "it 1200  d 1.312  g 0.8000  scale d 65536 g 32768  skipped 3  3210 images/s");
  figures.operations = {{"d", -std::numeric_limits<double>::quiet_NaN(), 1, 0}};
  CHECK(status_text(figures) == "it 1200  d nan  3210 images/s");
  figures.operations = {{"d", 1.5, 65536, 1, 1}, {"g", 0.8, 65536, 1, 0}};  // g skipped with d
  CHECK(status_text(figures) == "it 1200  d 1.500  g 0.8000  scale 65536  skipped 2  found 1  3210 images/s");
  figures.operations = {{"d", 1e24, 1, 0}};
  CHECK(status_text(figures) == "it 1200  d 1.000e+24  3210 images/s");
  CHECK(clock_text(0) == "0:00");
  CHECK(clock_text(59.5) == "1:00");
  CHECK(clock_text(3723) == "1:02:03");
}
