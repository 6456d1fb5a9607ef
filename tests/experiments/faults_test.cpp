// SPDX-License-Identifier: Apache-2.0
// What a user does wrong, and what goes wrong: a clear message and the right exit status, from the program.
#include <doctest/doctest.h>

#include "program.hpp"

using namespace halfling;
using namespace halfling::test;
namespace fs = std::filesystem;

namespace {

void expect(const Outcome& outcome, int status, const Words& parts) {
  CAPTURE(outcome.err);
  CHECK(outcome.status == status);
  for (const std::string& part : parts) {
    CAPTURE(part);
    CHECK(contains(outcome.err, part));
  }
}

/// The small experiment with a line added to a table.
void write_with(const Bench& bench, const std::string& table, const std::string& line) {
  std::string text = small_experiment();
  text.insert(text.find(table) + table.size(), "\n" + line);
  write_file(bench.file(), text);
}

}  // namespace

TEST_CASE("mistakes in the experiment end with status 2 and leave no run behind") {
  const Bench bench;
  SUBCASE("a misspelt key") {
    write_with(bench, "[optimizer]", "learning_rte = 1e-3");
    expect(bench.run(), 2, {"small.toml:32:1", "learning_rte", "did you mean \"learning_rate\"?"});
  }
  SUBCASE("a wrong type") {
    write_with(bench, "[optimizer]", "learning_rate = \"fast\"");
    expect(bench.run(), 2, {"small.toml:32:17", "learning_rate", "number"});
  }
  SUBCASE("an unknown plugin") {
    expect(bench.run_with("precision.use=mixd"), 2, {"mixd", "did you mean \"mixed\"?"});
  }
  SUBCASE("an unknown training operation") {
    expect(bench.run_with("optimizer.operation.gen.learning_rate=1e-3"), 2, {"gen", "one of d, g, q"});
  }
  SUBCASE("a precision rule that matches nothing") {
    expect(bench.run({"--set", "precision.use=rules", "--set",
                      "precision.rules=[\"contraction @ d.conf1 = f16\"]"}),
           2, {"a rule matches nothing", "d.conf1", "the nearest layers: d.conv1, d.conv2"});
  }
  SUBCASE("a missing data file") {
    expect(bench.run({"--set", "dataset.use=idx", "--set", "dataset.images=/nowhere/images.gz", "--set",
                      "dataset.labels=/nowhere/labels.gz"}),
           2, {"/nowhere/images.gz"});
  }
  SUBCASE("a batch larger than the data set") {
    expect(bench.run_with("input.batch_size=100"), 2, {"input.batch_size", "100", "60"});
  }
  SUBCASE("no experiment file") {
    expect(call(bench.scratch(), {"run"}), 2, {"an experiment file is missing"});
    expect(call(bench.scratch(), {"run", "absent.toml"}), 2, {"absent.toml"});
  }
  CHECK(bench.folders().empty());
}

TEST_CASE("a truncated data file is named with its sizes") {
  const Bench bench;
  const auto be32 = [](std::uint32_t n) {
    return std::string{static_cast<char>(n >> 24), static_cast<char>(n >> 16), static_cast<char>(n >> 8),
                       static_cast<char>(n)};
  };
  const std::string images = be32(0x803) + be32(20) + be32(8) + be32(8) + std::string(20 * 64 - 7, '\0');
  const std::string labels = be32(0x801) + be32(20) + std::string(20, '\1');
  write_file(bench.scratch() / "images", images);
  write_file(bench.scratch() / "labels", labels);
  const Outcome outcome = bench.run({"--set", "dataset.use=idx", "--set",
                                     "dataset.images=" + (bench.scratch() / "images").string(), "--set",
                                     "dataset.labels=" + (bench.scratch() / "labels").string()});
  CHECK(outcome.status >= 1);
  CHECK(outcome.status <= 2);
  expect(outcome, outcome.status, {(bench.scratch() / "images").string(), "1273", "1280"});
}

TEST_CASE("an output folder that cannot be made is named") {
  const Bench bench;
  write_file(bench.scratch() / "file", "not a folder");
  const std::string out = (bench.scratch() / "file" / "").string() + "runs";
  expect(call(bench.scratch(), {"run", bench.file(), "--out", out}), 2, {out, "--out DIR"});
}

TEST_CASE("a full disk is said with the file's name, and the run ends with status 1") {
  const Bench bench;
  const std::string command = std::string(HALFLING_PROGRAM) + " run " + bench.file() + " --quiet --out ";
  SUBCASE("a limit on file sizes") {
    const std::string limited = "ulimit -f 96; exec " + command + bench.out();
    expect(Process(bench.scratch(), {"sh", "-c", limited}).wait(), 1,
           {"12.safetensors", "File too large", "free some space"});
    CHECK(read_json(bench.folders().front() / "summary.json")["status"] == "failed");
  }
  SUBCASE("a file system without space") {
    const std::string disk = (bench.scratch() / "disk").string();
    fs::create_directory(disk);
    const std::string mount = "mount -t tmpfs -o size=96k none " + disk;
    // Where a test may not mount, the limit above has to do.
    if (Process(bench.scratch(), {"unshare", "-rm", "sh", "-c", mount}).wait().status != 0) return;
    const std::string script = mount + " && exec " + command + disk;
    expect(Process(bench.scratch(), {"unshare", "-rm", "sh", "-c", script}).wait(), 1,
           {disk, "No space left on device", "free some space"});
  }
}

TEST_CASE("init leaves nothing of a file that does not fit, and the next try is not refused") {
  const Bench bench;
  const std::string file = (bench.scratch() / "new.toml").string();
  const std::string limited = "ulimit -f 1; exec " + std::string(HALFLING_PROGRAM) + " init " + file;
  expect(Process(bench.scratch(), {"sh", "-c", limited}).wait(), 1, {file, "File too large"});
  CHECK_FALSE(fs::exists(file));
  CHECK(call(bench.scratch(), {"init", file}).status == 0);
  CHECK(call(bench.scratch(), {"plan", file}).status == 0);
}

TEST_CASE("a loss that is not finite stops the run and names the first value that is not") {
  const Bench bench;
  const Outcome outcome =
      bench.run({"--set", "precision.use=mixed", "--set", "precision.half=fp16", "--set",
                 "loss_scaler.use=none", "--set", "optimizer.use=sgd", "--set", "optimizer.learning_rate=1",
                 "--set", "optimizer.momentum=0.99", "--set", "budget.iterations=500"});
  expect(outcome, 1, {"is not finite at iteration", "where: ", "loss_scaler.use = \"dynamic\""});
  const std::size_t where = outcome.err.find("where: ") + 7;
  const std::string value = outcome.err.substr(where, outcome.err.find('\n', where) - where);
  CHECK((value.starts_with("d.") || value.starts_with("g.") || value.starts_with("c.")));
  const fs::path run = bench.folders().front();
  const auto summary = read_json(run / "summary.json");
  CHECK(summary["status"] == "failed");
  CHECK(contains(summary["error"], value));
  CHECK(contains(read_file(run / "metrics.jsonl"), "\"nan\""));  // JSON has no NaN
  const int last = read_lines(run / "metrics.jsonl").back()["iteration"];
  CHECK(contains(outcome.err, "is not finite at iteration " + std::to_string(last) + "\n"));
}

TEST_CASE("updates that are skipped again and again end the run with a diagnosis") {
  const Bench bench;
  const Outcome outcome = bench.run({"--set", "precision.use=mixed", "--set", "precision.half=fp16", "--set",
                                     "loss_scaler.use=static", "--set", "loss_scaler.scale=16777216", "--set",
                                     "loss_scaler.patience=5"});
  expect(outcome, 1,
         {"5 updates of d in a row were skipped, up to iteration 5", "where: ",
          "gradients that are not finite; the loss scale is now 1.67772e+07", "lower the loss scale"});
  const fs::path run = bench.folders().front();
  CHECK(read_json(run / "summary.json")["status"] == "failed");
  CHECK(read_lines(run / "metrics.jsonl").back()["operations"]["d"]["nonfinite"] == 5);
  CHECK(bench
            .run({"--set", "precision.use=mixed", "--set", "precision.half=fp16", "--set",
                  "loss_scaler.use=static", "--set", "loss_scaler.scale=16777216", "--set",
                  "loss_scaler.patience=0"})
            .status == 0);
}

TEST_CASE("a forward value that is not finite is told from a gradient when updates are skipped") {
  const Bench bench;
  const Outcome outcome =
      bench.run({"--plugin-path", HALFLING_TEST_PLUGINS, "--set", "architecture.use=saturating", "--set",
                 "precision.use=mixed", "--set", "precision.half=fp16", "--set", "loss_scaler.patience=4"});
  expect(outcome, 1,
         {"4 updates of n in a row were skipped, up to iteration 4", "where: n.fc1",
          "a forward value that is not finite, so that no loss scale can help", "keep the layer in f32"});
  // in f32 nothing is infinite
  CHECK(bench.run({"--plugin-path", HALFLING_TEST_PLUGINS, "--set", "architecture.use=saturating"}).status ==
        0);
}
