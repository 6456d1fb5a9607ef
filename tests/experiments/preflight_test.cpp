// SPDX-License-Identifier: Apache-2.0
// What plugins and the training find wrong, before anything trains: with its place and its trial, all in one
// run.
#include <doctest/doctest.h>

#include "program.hpp"

using namespace halfling;
using namespace halfling::test;
using nlohmann::json;

namespace {

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

/// The errors that plan tells as JSON; run and plan say the same, and nothing trains.
json errors(const Bench& bench, const Words& more = {}) {
  const Outcome run = bench.run(more);
  CAPTURE(run.err);
  CHECK(run.status == 2);
  CHECK(bench.folders().empty());
  const Outcome text = call(bench.scratch(), with({"plan", bench.file()}, more));
  CHECK(text.err == run.err);
  const Outcome plan = call(bench.scratch(), with({"plan", bench.file(), "--format", "json"}, more));
  return json::parse(plan.out)["errors"];
}

json found(const json& errors, const std::string& part) {
  for (const json& error : errors)
    if (contains(error["message"].get<std::string>(), part)) return error;
  CAPTURE(errors.dump(1));
  FAIL("no error has ", part);
  return {};
}

/// 1-based line of the first line with this text.
int line_of(const std::string& text, const std::string& part) {
  const std::size_t at = text.find(part);
  REQUIRE(at != std::string::npos);
  return static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n')) + 1;
}

}  // namespace

TEST_CASE("faults of several plugins are told in one run, each at its value") {
  const Bench bench;
  std::string text = small_experiment();
  text =
      replaced(text, "use = \"fp32\"", "use = \"rules\"\nrules = [\n  \"* = f99\",\n  \"conv3d = f16\",\n]");
  text = replaced(text, "use = \"dynamic\"", "use = \"dynamic\"\ninitial = 1e18");
  text = replaced(text, "use = \"synthetic\"\nsamples = 60\nsize = 8\nclasses = 3",
                  "use = \"idx\"\nimages = \"nowhere/$DATA/images.gz\"\nlabels = \"labels.gz\"");
  write_file(bench.file(), text);
  const json all = errors(bench);
  CHECK(all.size() == 4);
  for (const char* rule : {"\"* = f99\"", "\"conv3d = f16\""}) {
    json error;
    for (const json& each : all)
      if (each["line"] == line_of(text, rule)) error = each;
    CAPTURE(rule);
    REQUIRE(error.is_object());
    CHECK(error["column"] == 3);
    CHECK(contains(error["message"].get<std::string>(), "\"precision.rules\": a rule "));
  }
  const json scale = found(all, "the first loss scale lies outside");
  CHECK(scale["file"] == bench.file());
  CHECK(scale["line"] == line_of(text, "initial = 1e18"));
  CHECK(scale["column"] == 11);
  const json images = found(all, "\"dataset.images\": a data file cannot be opened");
  CHECK(images["line"] == line_of(text, "images = "));
  CHECK(images["where"] == (bench.scratch() / "nowhere/$DATA/images.gz").string());
  CHECK(contains(images["hint"].get<std::string>(), "variables of the environment are not expanded"));
}

TEST_CASE("names that an architecture does not have are told all, at their places") {
  const Bench bench;
  const std::string text = small_experiment() +
                           "[monitor]\nevery = \"5it\"\nvalues = [\"gradients\", \"d.conf1\", \"e.*\"]\n"
                           "[optimizer.operation.gen]\nbeta1 = 0.1\n";
  write_file(bench.file(), text);
  const json all = errors(bench, {"--set", "input.batch_size=61"});
  CHECK(all.size() == 4);
  const json batch = found(all, "\"input.batch_size\": a batch is larger than the data set");
  CHECK(batch["file"] == "--set #1");
  const json operation = found(all, "no training operation of this name");
  CHECK(operation["line"] == line_of(text, "[optimizer.operation.gen]"));
  CHECK(operation["column"] == 22);
  int monitored = 0;
  for (const json& error : all)
    if (error.value("line", 0) == line_of(text, "values = ")) {
      CHECK((error["column"] == 24 || error["column"] == 35));
      ++monitored;
    }
  CHECK(monitored == 2);
}

TEST_CASE("an image size that the architecture cannot make is told at the architecture") {
  const Bench bench;
  const json all = errors(bench, {"--set", "dataset.size=30"});
  REQUIRE(all.size() == 1);
  CHECK(all[0]["line"] == line_of(small_experiment(), "use = \"acgan\""));
  CHECK(all[0]["got"] == "[1, 30, 30]");
}

TEST_CASE("of values that contradict each other, the one that the experiment gives is named") {
  const Bench bench;
  const auto fault = [&](const std::string& setting) {
    const json all = errors(bench, {"--set", setting});
    REQUIRE(all.size() == 1);
    CHECK(all[0]["file"] == "--set #1");
    return all[0]["message"].get<std::string>();
  };
  CHECK(fault("loss_scaler.maximum=2").starts_with("\"loss_scaler.maximum\": "));
  CHECK(fault("loss_scaler.initial=1e10").starts_with("\"loss_scaler.initial\": "));
  CHECK(fault("loss_scaler.minimum=1e10").starts_with("\"loss_scaler.minimum\": "));
}

TEST_CASE("what is wrong with one trial of a sweep is said before the first one trains") {
  const Bench bench;
  const std::string text = small_experiment() + "[sweep.matrix]\n\"loss_scaler.initial\" = [1, 2, 1e18]\n";
  write_file(bench.file(), text);
  const json all = errors(bench);
  REQUIRE(all.size() == 1);
  CHECK(all[0]["trial"] == "trial 3 of 3: loss_scaler.initial=1e+18");
  CHECK(all[0]["line"] == line_of(text, "\"loss_scaler.initial\""));
  CHECK(all[0]["column"] == 32);
  CHECK(bench.run({"--trial", "2"}).status == 0);
}

TEST_CASE("each trial of a sweep is measured with all options that take memory") {
  const Bench bench;
  const Words cramped{"--plugin-path", HALFLING_TEST_PLUGINS, "--set", "backend.use=cramped",
                      "--set",         "optimizer.use=sgd",   "--set", "backend.memory=\"100GiB\""};
  const auto bytes = [&](const Words& more) {
    const Outcome plan =
        call(bench.scratch(), with(with({"plan", bench.file(), "--format", "json"}, cramped), more));
    CAPTURE(plan.err);
    REQUIRE(plan.status == 0);
    return json::parse(plan.out)["plan"]["predicted_bytes"]["total"].get<std::int64_t>();
  };
  const std::int64_t least = bytes({});
  const std::tuple<Words, std::string, std::string> sweeps[] = {
      {{"--set", "optimizer.momentum=0.9"}, "\"optimizer.momentum\"=[0, 0.9]", "optimizer.momentum=0.9"},
      {{"--set", "monitor.every=5it"}, "\"monitor.every\"=[\"5it\"]", ""},
      {{"--set", "sample.rows=256"}, "\"sample.rows\"=[256]", ""}};
  for (const auto& [setting, sweep, trial] : sweeps) {
    CAPTURE(sweep);
    CHECK(bytes(setting) > least);
    const Outcome run = bench.run(with(cramped, {"--set", "backend.memory=\"" + std::to_string(least) + "B\"",
                                                 "--set", "sweep.matrix." + sweep}));
    CAPTURE(run.err);
    CHECK(run.status == 2);
    CHECK(contains(run.err, "needs more memory than its device has"));
    if (!trial.empty()) CHECK(contains(run.err, "= in trial 2 of 2: " + trial));
  }
  CHECK(bench.folders().empty());
}
