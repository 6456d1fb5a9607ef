// SPDX-License-Identifier: Apache-2.0
// Files of a run folder with numbers and texts that no run writes: passed over, and nothing is computed with
// them.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "run/json_lines.hpp"
#include "run/metrics.hpp"
#include "run/observation.hpp"
#include "run/run_record.hpp"
#include "scratch.hpp"

using namespace halfling;
using namespace halfling::test;
using nlohmann::ordered_json;

namespace {

ordered_json good_summary() {
  Summary summary;
  summary.status = "done";
  summary.batch_size = summary.samples_per_iteration = 64;
  summary.operations = {{"d", 1, 1024, 3, 2}};
  summary.profile = {4, 12.5, {{"d.conv1", "contraction", 3, 1e9, 4096}}};
  Quality& quality = summary.quality.emplace();
  quality.extractor = "classifier";
  quality.classes = {"cat"};
  quality.generated.class_accuracy_of = quality.real.class_accuracy_of = {0.5};
  return summary_json(summary);
}

const ordered_json hostile_numbers[] = {1e128, -1, 0.5, UINT64_MAX, INT64_MAX, "7", nullptr};

void check_refused(const ordered_json& hostile) {
  CAPTURE(hostile.dump());
  const Scratch scratch;
  write_file(scratch / "summary.json", hostile.dump());
  CHECK(!read_summary(scratch / "summary.json").has_value());
}

}  // namespace

TEST_CASE("a summary with a count that is none is no summary") {
  const Scratch scratch;
  write_file(scratch / "summary.json", good_summary().dump());
  REQUIRE(read_summary(scratch / "summary.json").has_value());
  for (const char* key : {"/iterations", "/samples", "/batch_size", "/samples_per_iteration",
                          "/warmup_iterations", "/timed_iterations", "/planned_bytes/arena",
                          "/operations/d/skipped", "/profile/iterations", "/quality/samples"})
    for (const ordered_json& number : hostile_numbers) {
      ordered_json hostile = good_summary();
      hostile[ordered_json::json_pointer(key)] = number;
      check_refused(hostile);
    }
}

TEST_CASE("a summary whose numbers or lists do not fit each other is no summary") {
  ordered_json hostile = good_summary();
  hostile["timed_iterations"] = hostile["samples_per_iteration"] = std::int64_t{1} << 40;
  check_refused(hostile);  // their product is no number of samples
  hostile = good_summary();
  hostile["quality"]["generated"]["class_accuracy"]["classes"]["dog"] = 0.5;
  check_refused(hostile);
}

TEST_CASE("lines of metrics with hostile numbers are passed over, also where a run goes on") {
  const Scratch scratch;
  const auto file = scratch / "metrics.jsonl";
  const ordered_json good = {{"iteration", 7},
                             {"epoch", 0},
                             {"elapsed_s", 1.5},
                             {"images_per_s", 3},
                             {"operations", ordered_json::object()}};
  for (const char* key : {"iteration", "epoch"})
    for (const ordered_json& number : hostile_numbers) {
      CAPTURE(number.dump());
      ordered_json hostile = good;
      hostile[key] = number;
      write_file(file, hostile.dump() + "\n" + good.dump() + "\n");
      CHECK(read_metrics(file).size() == 1);
    }
  ordered_json text = good;
  text["elapsed_s"] = "later";
  write_file(file, text.dump() + "\n" + good.dump() + "\n");
  CHECK(read_metrics(file).size() == 1);
  text["iteration"] = UINT64_MAX;
  write_file(file, good.dump() + "\n" + text.dump() + "\n");
  const JsonLines lines(file, INT64_MAX);
  CHECK(lines.last() == 7);
  CHECK(lines.elapsed() == 1.5);
  CHECK(read_file(file) == good.dump() + "\n");
}

TEST_CASE("histograms whose counts cannot be are passed over") {
  const Scratch scratch;
  const auto file = scratch / "monitor.jsonl";
  Observation o{7, "gradient", "g", "g.fc1.weight", DType::bf16, DType::bf16, 65536, {}, 4};
  o.exact.counts[20] = 1000;
  const auto read_with = [&](const char* key, const ordered_json& value) {
    ordered_json line = ordered_json::parse(line_of(o));
    line[ordered_json::json_pointer(key)] = value;
    write_file(file, line.dump() + "\n");
    return read_observations(file).size();
  };
  CHECK(read_with("/iteration", 8) == 1);
  for (const char* key : {"/iteration", "/elements", "/counts/0"})
    for (const ordered_json& number : hostile_numbers) CHECK(read_with(key, number) == 0);
  for (const char* key : {"/zero", "/nonfinite", "/stored_zero"})
    for (const ordered_json& share : {ordered_json(1e128), ordered_json(-0.5), ordered_json("nan")})
      CHECK(read_with(key, share) == 0);
  for (const ordered_json& first : {ordered_json(1e128), ordered_json(-100000), ordered_json(100000)})
    CHECK(read_with("/first_exponent", first) == 0);
  CHECK(read_with("/counts", ordered_json(5, std::int64_t{1} << 40)) == 0);  // more than 2^40 together
}

TEST_CASE("a half format with the signs of a JSON pointer is the name of nothing") {
  const Scratch scratch;
  write_file(scratch / "environment.json",
             R"({"device": {"name": "cpu", "formats": {"f16": "native"}, "list": [1]}})");
  for (const char* half : {"~x", "~", "fp16/~2", "/", ""}) {
    CAPTURE(half);
    const ordered_json values = {{"precision.half", {{"value", '"' + std::string(half) + '"'}}},
                                 {"input.batch_size", {{"value", "9223372036854775807"}}}};
    write_file(scratch / "provenance.json", values.dump());
    write_file(scratch / "metrics.jsonl",
               R"({"iteration": 7, "epoch": 0, "elapsed_s": 1, "images_per_s": 3})");
    const RunRecord run = read_run(scratch.path());
    CHECK(run.half() == half);
    CHECK(run.summary.iterations == 7);
    CHECK(run.summary.samples == 0);  // that many samples are no number
    CHECK(run.environment_text("/device/name") == "cpu");
    CHECK(run.environment_text("/device/list/0").empty());
  }
}
