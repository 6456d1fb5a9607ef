// SPDX-License-Identifier: Apache-2.0
// halfling plan: what a run would do and need.
#include <doctest/doctest.h>

#include "program.hpp"

using namespace halfling;
using namespace halfling::test;
using nlohmann::json;

namespace {

Outcome plan(const Bench& bench, const Words& more = {}) {
  Words words{"plan", bench.file()};
  words.insert(words.end(), more.begin(), more.end());
  return call(bench.scratch(), words);
}

json plan_json(const Bench& bench, Words more = {}) {
  more.insert(more.end(), {"--format", "json"});
  const Outcome outcome = plan(bench, more);
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  return json::parse(outcome.out);
}

json layer(const json& plan, const std::string& name) {
  for (const auto& entry : plan["plan"]["layers"])
    if (entry["layer"] == name) return entry;
  return {};
}

}  // namespace

TEST_CASE("plan lists layers with shapes, parameters and formats, and runs nothing") {
  const Bench bench;
  const json result = plan_json(bench, {"--set", "precision.use=mixed", "--set", "precision.half=bf16"});
  const json conv = layer(result, "d.conv2");
  CHECK(conv["network"] == "d");
  CHECK(conv["op"] == "conv2d");
  CHECK(conv["result"] == json{8, 8, 2, 2});
  CHECK(conv["parameters"] == 8 * 4 * 4 * 4 + 8);
  CHECK(conv["stored"] == "bf16");
  CHECK(conv["computed"] == "f32");
  CHECK(layer(result, "g.fc1")["parameters"] == (4 + 3) * 16 + 16);
  CHECK(layer(result, "g.bn1")["op"] == "batch_norm");
  CHECK(layer(plan_json(bench), "d.conv2")["stored"] == "f32");
  CHECK(bench.folders().empty());
}

TEST_CASE("plan's figures agree with a run's") {
  const Bench bench;
  const json told = plan_json(bench)["plan"];
  REQUIRE(bench.run().status == 0);
  const json planned = read_json(bench.folders().front() / "summary.json")["planned_bytes"];
  const json& bytes = told["predicted_bytes"];
  const auto states = bytes["parameters"].get<std::int64_t>() + bytes["optimizer"].get<std::int64_t>() +
                      bytes["other_states"].get<std::int64_t>();
  CHECK(planned["states"] == 2 * states);  // this backend keeps a number in 8 bytes
  CHECK(planned["snapshot"] == states);
  CHECK(bytes["snapshot"] == states);  // the device computes in the memory of the process
  CHECK(bytes["parameters"] == 4 * told["parameters"].get<std::int64_t>());
  CHECK(told["trial"] == bench.folders().front().filename().string());
  CHECK(told["operations"] == Words{"d", "g", "q"});
}

TEST_CASE("work and temporaries grow with the batch, states do not") {
  const Bench bench;
  const json one = plan_json(bench)["plan"], two = plan_json(bench, {"--set", "input.batch_size=16"})["plan"];
  const auto flops = [](const json& plan) { return plan["per_iteration"]["forward"]["flops"].get<double>(); };
  CHECK(flops(two) == doctest::Approx(2 * flops(one)).epsilon(0.02));
  CHECK(two["predicted_bytes"]["parameters"] == one["predicted_bytes"]["parameters"]);
  CHECK(two["predicted_bytes"]["optimizer"] == one["predicted_bytes"]["optimizer"]);
  CHECK(two["predicted_bytes"]["activations"] > one["predicted_bytes"]["activations"]);
}

TEST_CASE("plan counts the casts of an iteration and the bytes that they move") {
  const Bench bench;
  const auto casts = [&](const Words& more) {
    return plan_json(bench, more)["plan"]["per_iteration"]["casts"];
  };
  const json none = casts({"--set", "precision.use=fp32"});
  CHECK(none["count"] == 0);
  CHECK(none["bytes"] == 0);
  const Words mixed{"--set", "precision.use=mixed", "--set", "precision.half=bf16"};
  const json some = casts(mixed);
  // at least: each of the networks' seven weights once, from four bytes to two
  CHECK(some["count"] > 7);
  CHECK(some["bytes"] > 6 * plan_json(bench, mixed)["plan"]["parameters"].get<double>() / 2);
  CHECK(some["bytes"] < plan_json(bench, mixed)["plan"]["per_iteration"]["backward"]["bytes"]);
  CHECK(contains(plan(bench, mixed).out, some["count"].dump() + " casts between formats"));
}

TEST_CASE("plan refuses what run refuses, after the list of trials") {
  const Bench bench;
  const auto expect = [&](const Words& more, const std::string& part) {
    const Outcome planned = plan(bench, more), run = bench.run(more);
    CAPTURE(planned.err);
    CHECK(planned.status == 2);
    CHECK(contains(planned.err, part));
    CHECK(planned.err == run.err);
    CHECK(bench.folders().empty());
  };
  expect({"--set", "input.batch_size=100"}, "larger than the data set");
  expect({"--set", "optimizer.operation.gen.learning_rate=1e-3"}, "one of d, g, q");
  expect({"--set", "dataset.use=idx", "--set", "dataset.images=/nowhere/i.gz", "--set",
          "dataset.labels=/nowhere/l.gz"},
         "/nowhere/i.gz");
  expect({"--set", "precision.use=fp46"}, "did you mean \"fp64\"?");
}

TEST_CASE("a sweep's last trial is checked before its first one runs") {
  const Bench bench;
  const Words sweep{"--set", "sweep.matrix.\"input.batch_size\"=[8, 16, 100]"};
  CHECK(bench.run(sweep).status == 2);
  CHECK(bench.folders().empty());
  const Outcome outcome = plan(bench, sweep);
  CHECK(outcome.status == 2);
  CHECK(contains(outcome.out, "input.batch_size=16"));
}

TEST_CASE("the text names the trials, the backend, the data and the prediction") {
  const Bench bench;
  const Outcome outcome =
      plan(bench, {"--set", "sweep.matrix.\"precision.use\"=[\"fp32\", \"mixed\"]", "--trial", "2"});
  CHECK(outcome.status == 0);
  for (const char* part :
       {"NUMBER  TRIAL", "precision.use=fp32", ": precision.use=mixed", "backend reference on",
        "synthetic: 60 samples of [1, 8, 8] in 3 classes", "d.conv1", "GFLOP", "gradients", "largest batch"})
    CHECK_MESSAGE(contains(outcome.out, part), part);
}

TEST_CASE("plan --predict tells times and costs of devices that are not there, marked as predicted") {
  const Bench bench;
  const Words sweep{"--set", "sweep.matrix.\"precision.use\"=[\"fp32\", \"mixed\"]", "--predict", "--out",
                    bench.out()};
  const json told = plan_json(bench, sweep)["prediction"];
  REQUIRE(told["trials"].size() == 2);
  for (const json& trial : told["trials"]) {
    const json& t4 = trial["predicted"]["t4"];
    CHECK(t4["ms"].get<double>() > 0);
    CHECK(t4["ms"].get<double>() ==
          doctest::Approx(t4["contractions_ms"].get<double>() + t4["loops_ms"].get<double>() +
                          t4["updates_ms"].get<double>() + t4["launches_ms"].get<double>()));
    CHECK(t4["per_million_batches"].get<double>() ==
          doctest::Approx(0.35 * t4["ms"].get<double>() * 1e6 / 3.6e6));
    CHECK(trial["measured_ms"].is_null());
  }
  CHECK(told["here"]["fp32_flops"].get<double>() > 0);
  CHECK(told["trials"][0]["predicted"]["here"]["ms"].get<double>() > 0);
  CHECK(told["trials"][1]["predicted"]["here"].is_null());  // reference emulates half formats: no speed
  REQUIRE(bench.run().status == 0);
  Words words{"--predict", "--out", bench.out()};
  CHECK(plan_json(bench, words)["prediction"]["trials"][0]["measured_ms"].get<double>() ==
        read_json(bench.folders().front() / "summary.json")["ms_per_iteration"]["median"].get<double>());
  const Outcome text = plan(bench, words);
  for (const char* part :
       {"MS AN ITERATION, PREDICTED", "t4", "HERE", "MEASURED", "COST OF A MILLION, PREDICTED",
        "nothing was run on these devices", "t4 0.35 USD/h (gcp-t4, 2025)"})
    CHECK_MESSAGE(contains(text.out, part), part);
}

TEST_CASE("a catalogue of one's own adds devices and replaces those of its names") {
  const Bench bench;
  const std::string file = (bench.scratch() / "mine.toml").string();
  write_file(file,
             "[mine]\nmemory = 1e-6\nbandwidth = 1\nfp32 = 1\nprocessors = 1\n"
             "[t4]\nmemory = 16\nbandwidth = 1\nfp32 = 1\nprocessors = 1\n");
  const json told = plan_json(bench, {"--predict", "--accelerators", file})["prediction"];
  CHECK(told["devices"][0]["name"] == "mine");
  const json& predicted = told["trials"][0]["predicted"];
  CHECK(predicted["mine"].is_null());  // it has a thousand bytes
  CHECK(predicted["t4"]["ms"].get<double>() > predicted["v100"]["ms"].get<double>());
  CHECK(!predicted["t4"].contains("per_million_batches"));
  const Outcome none = plan(bench, {"--predict", "--accelerators", "/nowhere/mine.toml"});
  CHECK(none.status == 2);
  CHECK(contains(none.err, "/nowhere/mine.toml"));
}
