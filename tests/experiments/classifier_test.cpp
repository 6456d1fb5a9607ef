// SPDX-License-Identifier: Apache-2.0
// An architecture without a generator: it trains, and nothing is drawn.
#include <doctest/doctest.h>

#include "program.hpp"

using namespace halfling::test;

namespace {

std::string classifier_experiment() {
  std::string text = small_experiment();
  const std::size_t begin = text.find("use = \"acgan\""), end = text.find("\n[optimizer]");
  text.replace(begin, end - begin, "use = \"classifier\"\nfirst_channels = 4\nfeatures = 8\n");
  return text;
}

struct ClassifierBench : Bench {
  ClassifierBench() { write_file(file(), classifier_experiment()); }
};

double loss_at(const std::filesystem::path& run, std::size_t line) {
  return read_lines(run / "metrics.jsonl").at(line)["operations"]["c"]["loss"];
}

}  // namespace

TEST_CASE("a classifier learns its classes, in single and in mixed precision, and draws nothing") {
  for (const std::string precision : {"fp32", "mixed"}) {
    CAPTURE(precision);
    const ClassifierBench small;
    const Outcome run = small.run({"--set", "precision.use=" + precision, "--set", "budget.iterations=40",
                                   "--set", "optimizer.learning_rate=0.01", "--set", "dataset.samples=600"});
    CAPTURE(run.err);
    REQUIRE(run.status == 0);
    const auto folder = small.folders()[0];
    const std::size_t last = read_lines(folder / "metrics.jsonl").size() - 1;
    CHECK(loss_at(folder, last) < 0.5 * loss_at(folder, 0));
    CHECK(std::filesystem::is_empty(folder / "samples"));
    CHECK(read_json(folder / "summary.json")["status"] == "done");
  }
}

TEST_CASE("sample refuses a run without a generator, and plan and resuming need none") {
  const ClassifierBench small;
  CHECK(call(small.scratch(), {"plan", small.file(), "--trial", "1"}).status == 0);
  REQUIRE(small.run({"--set", "budget.iterations=6"}).status == 0);
  REQUIRE(small.run({"--resume"}).status == 0);
  const ClassifierBench whole;
  REQUIRE(whole.run().status == 0);
  CHECK(last_checkpoint(whole.folders()[0], 12) == last_checkpoint(small.folders()[0], 12));
  const std::string run = small.folders()[0].string();
  const Outcome drawn = call(small.scratch(), {"sample", run, "--out", (small.scratch() / "a.png").string()});
  CHECK(drawn.status == 2);
  CHECK(contains(drawn.err, "the run's architecture has no generator"));
  CHECK_FALSE(std::filesystem::exists(small.scratch() / "a.png"));
}

TEST_CASE("a classifier refuses what it cannot look at") {
  const ClassifierBench small;
  const Outcome one = small.run_with("input.batch_size=1");
  CHECK(one.status == 2);
  CHECK(contains(one.err, "batches of one sample"));
}
