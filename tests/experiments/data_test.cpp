// SPDX-License-Identifier: Apache-2.0
// halfling data: what the network will see, by class.
#include <doctest/doctest.h>

#include "program.hpp"
#include "run/png.hpp"

using namespace halfling;
using namespace halfling::test;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

Outcome data(const Bench& bench, const Words& more = {}) {
  Words words{"data", bench.file(), "--plugin-path", HALFLING_TEST_PLUGINS};
  words.insert(words.end(), more.begin(), more.end());
  return call(bench.scratch(), words);
}

const Words cropped{"--set", "dataset.size=12",      "--set", "dataset.channels=3",
                    "--set", "transform.c.use=crop", "--set", "transform.c.size=8"};

}  // namespace

TEST_CASE("data counts samples by class, and trains nothing") {
  const Bench bench;
  const Outcome outcome = data(bench, {"--set", "dataset.samples=40"});
  CHECK(outcome.status == 0);
  CHECK(contains(outcome.out, "data synthetic: 40 samples of [1, 8, 8] in 3 classes"));
  CHECK(contains(outcome.out, "14       35.0 %"));
  CHECK(contains(outcome.out, "13       32.5 %"));
  CHECK(bench.folders().empty());
}

TEST_CASE("data draws the transformed samples, a row for each class") {
  const Bench bench;
  const std::string out = (bench.scratch() / "sheet.png").string();
  Words words{"--format", "json", "--out", out};
  words.insert(words.end(), cropped.begin(), cropped.end());
  const Outcome outcome = data(bench, words);
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  const json told = json::parse(outcome.out);
  CHECK(told["samples"] == 60);
  CHECK(told["image"] == json{3, 8, 8});
  CHECK(told["transforms"] == json{"c"});
  REQUIRE(told["classes"].size() == 3);
  CHECK(told["classes"][2]["samples"] == 20);
  CHECK(told["sheet"] == out);
  const Image sheet = read_png(out);
  CHECK(sheet.channels == 3);
  CHECK(sheet.width == 8 + 10 * 60 - 4 + 8);  // 56 pixels a sample, 4 between
  CHECK(sheet.height == 8 + 3 * 60 - 4 + 8);
  std::string rows = "Rows from the top:";
  for (const json& entry : told["classes"]) rows += "\n" + entry["name"].get<std::string>();
  CHECK(contains(read_file(out), rows));
}

TEST_CASE("data tells how often training sees a class where classes are balanced") {
  const Bench bench;
  std::string records, names;
  for (int label = 0; label < 10; ++label) names += "class " + std::to_string(label) + "\n";
  for (int i = 0; i < 20; ++i) records += char(i < 10 ? i : 0) + std::string(3072, char(i));
  write_file(bench.scratch() / "batches.meta.txt", names);
  write_file(bench.scratch() / "data_batch_1.bin", records);
  Words words{"--set", "dataset.use=cifar10", "--set", "dataset.root=" + bench.scratch().path().string()};
  const Outcome plain = data(bench, words);
  CHECK(contains(plain.out, "55.0 %"));
  CHECK(!contains(plain.out, "VISITS"));
  words.insert(words.end(), {"--set", "input.balance=true"});
  const Outcome balanced = data(bench, words);
  CAPTURE(balanced.err);
  CHECK(contains(balanced.out, "11       55.0 %  10.0 %  0.182"));
  CHECK(contains(balanced.out, "1        5.0 %   10.0 %  2"));
  words.insert(words.end(), {"--format", "json"});
  const json told = json::parse(data(bench, words).out);
  CHECK(told["balance"] == true);
  CHECK(told["classes"][0]["seen"] == 0.1);
  CHECK(told["classes"][0]["samples"] == 11);
}

TEST_CASE(
    "run balances classes, with samples held out, and goes on after a resume as if nothing had happened") {
  const Bench plain, straight, resumed;
  const auto run = [](const Bench& bench, int iterations, const Words& more) {
    Words words{"--set", "dataset.holdout=0.2",
                "--set", "dataset.samples=40",
                "--set", "budget.iterations=" + std::to_string(iterations)};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = bench.run(words);
    CAPTURE(outcome.err);
    CHECK(outcome.status == 0);
    return last_checkpoint(bench.folders().front(), iterations);
  };
  const Words balance{"--set", "input.balance=true"};
  const std::string whole = run(straight, 9, balance);  // two epochs of four, and one
  run(resumed, 5, balance);
  CHECK(run(resumed, 9, {"--set", "input.balance=true", "--resume"}) == whole);
  run(plain, 9, {});
  const auto first_losses = [](const Bench& bench) {  // a checkpoint would differ by the trial's id alone
    return read_lines(bench.folders().front() / "metrics.jsonl").front()["operations"];
  };
  CHECK(first_losses(plain) != first_losses(straight));
}

TEST_CASE("data finds wrong with a data set what run finds") {
  const Bench bench;
  for (const Words& more : {Words{"--set", "dataset.use=cifar10", "--set", "dataset.root=/nowhere"},
                            Words{"--set", "dataset.use=idx", "--set", "dataset.images=/nowhere/i", "--set",
                                  "dataset.labels=/nowhere/l"},
                            Words{"--set", "transform.c.use=crop", "--set", "transform.c.size=9"}}) {
    Words words = more;
    words.insert(words.end(), {"--plugin-path", HALFLING_TEST_PLUGINS});
    const Outcome looked = data(bench, more), run = bench.run(words);
    CHECK(looked.status == 2);
    CHECK(contains(looked.err, "error[E020]"));
    CHECK(looked.err == run.err);
  }
}

TEST_CASE("the shipped experiments train an AC-GAN on images of CIFAR-10") {
  const Scratch scratch;
  std::string records, names;
  for (int label = 0; label < 10; ++label) {
    names += "class " + std::to_string(label) + "\n";
    records += char(label) + std::string(3072, char(20 * label));
  }
  write_file(scratch / "batches.meta.txt", names);
  write_file(scratch / "data_batch_1.bin", records);
  write_file(scratch / "test_batch.bin", records);
  for (const std::string& name : Words{"cifar10-fp32", "cifar10-mixed"}) {
    Words words{"run", HALFLING_EXPERIMENTS "/" + name + ".toml", "--out", (scratch / "runs").string()};
    for (const std::string& setting :
         Words{"dataset.root=" + scratch.path().string(), "backend.use=reference", "input.batch_size=20",
               "budget.iterations=1", "architecture.fc_width=16", "architecture.first_channels=4",
               "architecture.second_channels=4", "architecture.classifier_width=8", "sample.rows=1"})
      words.insert(words.end(), {"--set", setting});
    const Outcome outcome = call(scratch, words);
    CAPTURE(outcome.err);
    REQUIRE(outcome.status == 0);
    const auto run = *std::filesystem::directory_iterator((scratch / "runs") / name);
    CHECK(read_json(run.path() / "summary.json")["samples"] == 20);
    CHECK(read_png(*std::filesystem::directory_iterator(run.path() / "samples")).channels == 3);
  }
}

TEST_CASE("data looks at the trial of a sweep that is named, and writes PNG only") {
  const Bench bench;
  const Words sweep{"--set", "sweep.matrix.\"dataset.samples\"=[30, 33]"};
  const auto with = [&](const Words& more) {
    Words words = sweep;
    words.insert(words.end(), more.begin(), more.end());
    return data(bench, words);
  };
  CHECK(contains(with({}).out, "30 samples"));
  CHECK(contains(with({}).err, "trial 1 of 2"));
  CHECK(contains(with({"--trial", "2"}).out, "33 samples"));
  CHECK(with({"--trial", "3"}).status == 2);
  const std::string out = (bench.scratch() / "sheet.jpg").string();
  const Outcome outcome = data(bench, {"--out", out});
  CHECK(outcome.status == 2);
  CHECK(contains(outcome.err, "a name that ends in .png"));
  CHECK(!std::filesystem::exists(out));
}

TEST_CASE("a run keeps what its networks saw of the data, and the page shows it once") {
  const Bench bench;
  REQUIRE(bench.run({"--quiet", "--set", "sweep.matrix.\"precision.use\"=[\"fp32\", \"mixed\"]"}).status ==
          0);
  for (const fs::path& run : bench.folders()) {
    const Image sheet = read_png(run / "data.png");
    CHECK(sheet.width == 3 * 56 + 2 * 4 + 2 * 8);  // a column is a class
    CHECK(sheet.height == 2 * 56 + 4 + 2 * 8);     // sample.rows
    const bool black_and_white = std::ranges::any_of(sheet.pixels, [](auto p) { return p == 0; });
    CHECK(black_and_white);
  }
  const std::string page = (bench.scratch() / "report.html").string();
  REQUIRE(call(bench.scratch(), {"report", bench.out(), "--out", page}).status == 0);
  const std::string text = read_file(page);
  const std::string told = "real images, as the networks see them";
  CHECK(contains(text, told));
  CHECK(text.find(told) == text.rfind(told));
}
