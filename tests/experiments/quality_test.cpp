// SPDX-License-Identifier: Apache-2.0
// [quality] and halfling quality: a classifier is trained once and cached, figures tell good images from bad
// ones, and nothing that fails costs a run anything.
#include <doctest/doctest.h>

#include <cstdlib>

#include "program.hpp"

using namespace halfling::test;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

/// Runs of the small AC-GAN, with a cache of classifiers of its own.
struct QualityBench : Bench {
  QualityBench() { ::setenv("XDG_CACHE_HOME", cache().c_str(), 1); }
  fs::path cache() const { return scratch() / "cache"; }
  fs::path classifiers() const { return cache() / "halfling" / "classifiers"; }

  Outcome measured(const Words& more = {}) const {
    Words words{"--set", "backend.use=cpu",     "--set", "dataset.samples=1200",
                "--set", "dataset.holdout=0.2", "--set", "quality.samples=200"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }
  /// All classifiers, by path.
  std::vector<fs::path> cached() const {
    std::vector<fs::path> files;
    if (!fs::exists(classifiers())) return files;
    for (const auto& entry : fs::recursive_directory_iterator(classifiers()))
      if (entry.is_regular_file()) files.push_back(entry.path());
    return files;
  }
  json summary() const { return read_json(folders().front() / "summary.json"); }
};

json quality_of(const QualityBench& bench, Words words) {
  words.insert(words.begin(), {"quality", bench.folders().front().string(), "--format", "json"});
  const Outcome outcome = call(bench.scratch(), words);
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  return json::parse(outcome.out)[0]["quality"];
}

}  // namespace

TEST_CASE("a run tells its quality, and the classifier is trained once") {
  const QualityBench bench;
  const Outcome run = bench.measured({"--set", "average.decay=0.9"});
  CAPTURE(run.err);
  REQUIRE(run.status == 0);
  CHECK(contains(run.err, "a classifier of the data is trained, once"));
  CHECK(contains(run.err, "of 240 held-out images"));
  CHECK(contains(run.out, "FRECHET (REAL)"));
  REQUIRE(bench.cached().size() == 1);
  const json quality = bench.summary()["quality"];
  CHECK(quality["samples"] == 200);
  CHECK(quality["iteration"] == 12);
  CHECK(quality["extractor"].get<std::string>().starts_with("classifier-"));
  CHECK(quality["extractor_accuracy"] > 0.9);
  CHECK(quality["real"]["class_accuracy"]["total"] > 0.9);
  CHECK(quality["real"]["class_accuracy"]["classes"].size() == 3);
  CHECK(quality["real"]["precision"] > 0.6);
  // Twelve iterations make noise, and the averages of its weights make other noise.
  CHECK(quality["generated"]["frechet_distance"] > 10 * quality["real"]["frechet_distance"].get<double>());
  CHECK(quality["generated"]["kernel_distance"] > quality["real"]["kernel_distance"]);
  CHECK(quality["generated"]["class_accuracy"]["total"] < 0.7);
  CHECK(quality["averages"]["frechet_distance"] != quality["generated"]["frechet_distance"]);

  const std::string summary = read_file(bench.folders().front() / "summary.json");
  const std::string table = read_file(HALFLING_KEYS);
  for (const auto& [key, value] : quality.items()) CHECK(contains(table, "| `quality." + key));
  for (const auto& [key, value] : quality["real"].items()) CHECK(contains(table, "| `quality.*." + key));

  const json again = quality_of(bench, {});
  CHECK(again == quality);  // bit for bit
  CHECK(read_file(bench.folders().front() / "summary.json") == summary);
  CHECK(bench.cached().size() == 1);
}

TEST_CASE("all kept checkpoints make a course, which the page draws") {
  const QualityBench bench;
  const Outcome run = bench.measured({"--set", "quality.checkpoints=all", "--set", "checkpoint.every=\"4it\"",
                                      "--set", "checkpoint.keep=3"});
  CAPTURE(run.err);
  REQUIRE(run.status == 0);
  const json quality = bench.summary()["quality"];
  REQUIRE(quality["course"].size() == 2);
  CHECK(quality["course"][0]["iteration"] == 4);
  CHECK(quality["course"][1]["iteration"] == 8);
  CHECK(quality["iteration"] == 12);
  const json alone = quality_of(bench, {"--checkpoint", "8"});
  CHECK(alone["generated"]["frechet_distance"] == quality["course"][1]["frechet_distance"]);
  CHECK(!alone.contains("course"));
  const std::string page = (bench.scratch() / "report.html").string();
  REQUIRE(call(bench.scratch(), {"report", bench.folders().front().string(), "--out", page}).status == 0);
  const std::string points = read_file(bench.scratch() / "report.figures" / "quality-by-time.tsv");
  CHECK(contains(points, "Fréchet distance"));
  std::size_t measured = 0;
  std::istringstream lines(points);
  for (std::string line; std::getline(lines, line);)
    measured += !line.empty() && !line.starts_with('#') && !contains(line, "?");
  CHECK(measured == 3);
  CHECK(contains(read_file(page), "quality-by-time"));
}

TEST_CASE("training brings the images nearer to real ones, and these are the nearest") {
  const QualityBench bench;
  const Words larger{"--set", "architecture.fc_width=64",
                     "--set", "architecture.first_channels=16",
                     "--set", "architecture.second_channels=32",
                     "--set", "optimizer.learning_rate=1e-3",
                     "--set", "input.batch_size=32"};
  REQUIRE(bench.measured(larger).status == 0);
  const json before = bench.summary()["quality"];
  Words longer = larger;
  longer.insert(longer.end(), {"--resume", "--set", "budget.iterations=1500", "--set",
                               "metrics.every=\"500it\"", "--set", "sample.every=\"1h\""});
  REQUIRE(bench.measured(longer).status == 0);
  const json after = bench.summary()["quality"];
  CHECK(after["iteration"] == 1500);
  const auto distance = [](const json& images) { return images["frechet_distance"].get<double>(); };
  CHECK(distance(after["generated"]) < 0.2 * distance(before["generated"]));
  CHECK(distance(after["real"]) == distance(before["real"]));
  CHECK(distance(after["real"]) < distance(after["generated"]));
  CHECK(after["generated"]["kernel_distance"] < before["generated"]["kernel_distance"]);
  CHECK(before["generated"]["recall"] < 0.1);
  CHECK(after["generated"]["recall"] > 0.2);
  CHECK(before["generated"]["class_accuracy"]["total"] < 0.7);
  CHECK(after["generated"]["class_accuracy"]["total"] > 0.8);
}

TEST_CASE("the judge depends on the data, not on the run; other data have another") {
  const QualityBench bench;
  REQUIRE(bench.measured().status == 0);
  const std::string extractor = bench.summary()["quality"]["extractor"];
  const auto first = bench.folders().front();
  const Outcome other = bench.measured({"--set", "experiment.seed=7", "--set", "precision.use=mixed"});
  CAPTURE(other.err);
  REQUIRE(other.status == 0);
  CHECK(contains(other.err, "classifier from the cache"));
  for (const fs::path& run : bench.folders())
    CHECK(read_json(run / "summary.json")["quality"]["extractor"] == extractor);
  REQUIRE(bench.cached().size() == 1);
  REQUIRE(bench.measured({"--set", "dataset.holdout=0.3"}).status == 0);
  CHECK(bench.cached().size() == 2);

  std::ofstream(bench.cached().front(), std::ios::binary | std::ios::in).seekp(2000).write("damaged", 7);
  std::ofstream(bench.cached().back(), std::ios::binary | std::ios::in).seekp(2000).write("damaged", 7);
  const Outcome mended = call(bench.scratch(), {"quality", first.string()});
  CHECK(mended.status == 0);
  CHECK(contains(mended.err, "the classifier in the cache cannot be used"));
  CHECK(contains(mended.err, "classifier trained in"));
  CHECK(read_json(first / "summary.json")["quality"]["extractor"] == extractor);
}

TEST_CASE("an older checkpoint is measured without touching the summary; a run without holdout, too") {
  const QualityBench bench;
  REQUIRE(bench.run({"--set", "backend.use=cpu", "--set", "dataset.samples=1200"}).status == 0);
  CHECK_FALSE(bench.summary().contains("quality"));
  const fs::path run = bench.folders().front();
  const std::string before = read_file(run / "summary.json");
  const json quality = quality_of(
      bench, {"--samples", "110", "--checkpoint", (run / "checkpoints" / "12.safetensors").string()});
  CHECK(quality["samples"] == 110);
  CHECK(read_file(run / "summary.json") == before);
  CHECK(quality_of(bench, {})["samples"] == 120);  // a tenth of the samples, of the usual 1000
  CHECK(bench.summary()["quality"]["samples"] == 120);
}

TEST_CASE("a measurement that fails costs the run nothing") {
  const QualityBench bench;
  write_file(bench.cache(), "a file where a folder is to be made");
  const Outcome run = bench.measured();
  CAPTURE(run.err);
  CHECK(run.status == 0);
  CHECK(contains(run.err, "the classifier is not kept in"));
  CHECK(bench.summary()["quality"]["samples"] == 200);

  const QualityBench broken;  // a tenth of 600 samples is too few, which only the command finds
  REQUIRE(broken.run({"--set", "backend.use=cpu", "--set", "dataset.samples=600"}).status == 0);
  const Outcome few = call(broken.scratch(), {"quality", broken.folders().front().string()});
  CHECK(few.status == 1);
  CHECK(contains(few.err, "the data set holds out too few images"));
  CHECK(broken.summary()["status"] == "done");
  CHECK(contains(broken.summary()["quality"]["error"].get<std::string>(), "too few images"));
}

TEST_CASE("what cannot be measured is refused before anything trains, at its place") {
  const QualityBench bench;
  const Outcome few = bench.measured({"--set", "quality.samples=99"});
  CHECK(few.status == 2);
  CHECK(contains(few.err, "too few images are asked for"));
  CHECK(contains(bench.measured({"--set", "dataset.holdout=0.01"}).err, "holds out too few images"));
  const Outcome none = bench.run({"--set", "architecture.use=classifier", "--set", "quality.samples=200"});
  CHECK(none.status == 2);
  CHECK(contains(none.err, "the architecture has no generator"));
  CHECK(bench.folders().empty());
  CHECK(call(bench.scratch(), {"quality"}).status == 2);
  CHECK(call(bench.scratch(), {"quality", bench.scratch().path().string()}).status == 2);
}
