// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "measure/statistics.hpp"
#include "run/metrics.hpp"
#include "run/summary.hpp"
#include "scratch.hpp"
#include "train/progress.hpp"

using namespace halfling;
using namespace halfling::test;

namespace {

RunMetrics metrics_at(std::int64_t iteration) {
  return {.iteration = iteration,
          .epoch = 0,
          .elapsed = 0.5 * static_cast<double>(iteration),
          .images_per_s = 100,
          .mean_images_per_s = 100,
          .operations = {{"d", 1.5, 65536, 2, 1}}};
}

}  // namespace

TEST_CASE("metrics are lines of JSON, where numbers that JSON lacks are strings") {
  const Scratch scratch;
  const auto file = scratch / "metrics.jsonl";
  {
    MetricsFile lines(file, 0);
    RunMetrics metrics = metrics_at(1);
    metrics.operations[0].loss = std::numeric_limits<double>::quiet_NaN();
    metrics.operations[0].loss_scale = std::numeric_limits<double>::infinity();
    metrics.operations[0].learning_rate = 0.25;
    lines.metrics(metrics);
    lines.metrics(metrics);  // the same iteration is written once
  }
  CHECK(read_file(file) ==
        "{\"iteration\":1,\"epoch\":0,\"elapsed_s\":0.5,\"images_per_s\":100.0,\"operations\":{\"d\":{"
        "\"loss\":\"nan\",\"loss_scale\":\"inf\",\"skipped\":2,\"nonfinite\":1,\"learning_rate\":0.25}}}\n");
}

TEST_CASE("metrics continue after an iteration and drop what is later or torn") {
  const Scratch scratch;
  const auto file = scratch / "metrics.jsonl";
  {
    MetricsFile lines(file, 0);
    for (std::int64_t i = 1; i <= 5; ++i) lines.metrics(metrics_at(i));
  }
  const std::string five = read_file(file);
  write_file(file, five + "{\"iteration\":6,\"ep");
  MetricsFile lines(file, 3);
  CHECK(lines.elapsed() == 1.5);
  CHECK(lines.kept().iteration == 3);
  REQUIRE(lines.kept().operations.size() == 1);
  CHECK(lines.kept().operations[0].loss == 1.5);
  CHECK(lines.kept().operations[0].loss_scale == 65536);
  CHECK(lines.kept().operations[0].skipped == 2);
  for (std::int64_t i = 3; i <= 5; ++i) lines.metrics(metrics_at(i));
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
  summary.batch_size = summary.samples_per_iteration = 64;
  summary.iterations = 7;
  summary.ms_per_iteration = {2, 1, 3};
  summary.disturbance = {7.5, 900, 0.5};
  summary.peak_bytes = 1 << 20;
  summary.planned = {1, 2, 3, 4, 5};
  summary.operations = {{"d", std::numeric_limits<double>::infinity(), 1024, 3, 2}};
  summary.block_ms = {1.5, 2.5};
  summary.profile = {4, 12.5, {{"d.conv1", "contraction", 3, 1e9, 4096}, {"", "update", 2, 10, 20}}};
  write_summary(file, summary);
  const auto read = read_summary(file);
  REQUIRE(read.has_value());
  CHECK(read->block_ms == summary.block_ms);
  REQUIRE(read->profile.has_value());
  CHECK(read->profile->iterations == 4);
  CHECK(read->profile->ms == 12.5);
  REQUIRE(read->profile->times.size() == 2);
  CHECK(read->profile->times[0].layer == "d.conv1");
  CHECK(read->profile->times[1].work == "update");
  CHECK(read->profile->times[0].bytes == 4096);
  CHECK(read->status == "interrupted");
  CHECK(read->label == summary.label);
  CHECK(read->native == false);
  CHECK(read->emulated == summary.emulated);
  CHECK(read->iterations == 7);
  CHECK(read->ms_per_iteration.p90 == 3);
  CHECK(read->disturbance.load_average == 7.5);
  CHECK(read->disturbance.involuntary_switches == 900);
  CHECK(read->disturbance.processor_wait_share == 0.5);
  CHECK(read->marked_status() == "interrupted [disturbed]");
  CHECK(read->images_per_s() == doctest::Approx(32000));  // of the same median
  CHECK(read->ms_per_1000_samples() == doctest::Approx(31.25));
  CHECK(nlohmann::json::parse(read_file(file))["images_per_s"] == 32000);
  CHECK(read->planned.total() == 15);
  REQUIRE(read->operations.size() == 1);
  CHECK(std::isinf(read->operations[0].loss));
  CHECK(read->operations[0].loss_scale == 1024);
  CHECK(read->operations[0].skipped == 3);
  CHECK(read->operations[0].nonfinite == 2);

  summary.ms_per_iteration = quantiles({});
  summary.disturbance = {};
  write_summary(file, summary);
  CHECK(read_summary(file)->marked_status() == "interrupted");
  auto older = nlohmann::json::parse(read_file(file));
  CHECK(older["disturbance"]["involuntary_switches"].is_null());
  older.erase("disturbance");
  older["planned_bytes"].erase("snapshot");
  write_file(scratch / "older.json", older.dump());
  CHECK(read_summary(scratch / "older.json")->disturbance.involuntary_switches == -1);
  CHECK(read_summary(scratch / "older.json")->planned.total() == 10);
  CHECK(nlohmann::json::parse(read_file(file))["ms_per_iteration"]["median"].is_null());
  CHECK(std::isnan(read_summary(file)->ms_per_iteration.median));
  write_file(file, "{\"status\": \"done\"");
  CHECK(!read_summary(file).has_value());
  CHECK(!read_summary(scratch / "absent").has_value());
}

TEST_CASE("the status line says what matters in one glance") {
  RunMetrics metrics = metrics_at(1200);
  metrics.mean_images_per_s = 3210.4;
  metrics.left = 271.2;
  metrics.operations = {{"d", 1.3121, 65536, 3}, {"g", 0.8, 65536, 0}};
  CHECK(status_text(metrics) ==
        "it 1200  d 1.312  g 0.8000  scale 65536  skipped 3  3210 images/s  4:32 left");
  metrics.operations[1].loss_scale = 32768;
  metrics.left.reset();
  CHECK(status_text(metrics) ==
        "it 1200  d 1.312  g 0.8000  scale d 65536 g 32768  skipped 3  3210 images/s");
  metrics.operations = {{"d", -std::numeric_limits<double>::quiet_NaN(), 1, 0}};
  CHECK(status_text(metrics) == "it 1200  d nan  3210 images/s");
  metrics.operations = {{"d", 1.5, 65536, 1, 1}, {"g", 0.8, 65536, 1, 0}};  // g skipped with d
  CHECK(status_text(metrics) ==
        "it 1200  d 1.500  g 0.8000  scale 65536  skipped 2  nonfinite 1  3210 images/s");
  metrics.operations = {{"d", 1e24, 1, 0}};
  CHECK(status_text(metrics) == "it 1200  d 1.000e+24  3210 images/s");
}

TEST_CASE("the status line says how far the budget and the sweep are") {
  RunMetrics metrics = metrics_at(1200);
  metrics.operations = {{"d", 1.5, 1, 0}};
  metrics.last = 5000;
  CHECK(status_text(metrics, {"[2/6]", "[f16 emulated]"}) ==
        "[2/6]  it 1200/5000  d 1.500  100 images/s  [f16 emulated]");
  metrics.last.reset();
  metrics.time_used = 0.24;
  metrics.left = 30;
  CHECK(status_text(metrics) == "it 1200  24%  d 1.500  100 images/s  0:30 left");
}

TEST_CASE("a narrow status line loses what matters least, never speed, time left or the mark") {
  RunMetrics metrics = metrics_at(1200);
  metrics.last = 5000;
  metrics.time_used = 0.24;
  metrics.left = 271.2;
  metrics.operations = {{"d", 1.3121, 65536, 3, 2}, {"g", 0.8, 32768, 0, 0}, {"q", 2.2, 32768, 0, 0}};
  const StatusFrame frame{"[2/6]", "[f16 emulated]"};
  const std::string whole = status_text(metrics, frame);
  CHECK(whole ==
        "[2/6]  it 1200/5000  24%  d 1.312  g 0.8000  q 2.200  scale d 65536 g 32768 q 32768  skipped 3  "
        "nonfinite 2  100 images/s  4:32 left  [f16 emulated]");
  CHECK(status_text(metrics, frame, whole.size()) == whole);
  CHECK(status_text(metrics, frame, 119) ==
        "[2/6]  it 1200/5000  24%  d 1.312  g 0.8000  q 2.200  skipped 3  100 images/s  4:32 left  [f16 "
        "emulated]");
  CHECK(status_text(metrics, frame, 79) ==
        "[2/6]  it 1200/5000  skipped 3  100 images/s  4:32 left  [f16 emulated]");
  CHECK(status_text(metrics, frame, 59) == "it 1200/5000  100 images/s  4:32 left  [f16 emulated]");
  for (std::size_t width = 40; width < whole.size(); ++width) {
    const std::string text = status_text(metrics, frame, width);
    CHECK(text.size() <= width);
    CHECK(text.ends_with("100 images/s  4:32 left  [f16 emulated]"));
  }
  CHECK(status_text(metrics, frame, 20).size() == 20);
}

TEST_CASE("durations are written as clocks are") {
  CHECK(clock_text(0) == "0:00");
  CHECK(clock_text(59.5) == "1:00");
  CHECK(clock_text(3723) == "1:02:03");
}
