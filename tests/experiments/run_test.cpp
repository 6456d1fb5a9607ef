// SPDX-License-Identifier: Apache-2.0
// halfling run and halfling sample, end to end.
#include <doctest/doctest.h>

#include <set>

#include "program.hpp"
#include "run/png.hpp"
#include "run/safetensors.hpp"

using namespace halfling;
using namespace halfling::test;
namespace fs = std::filesystem;

namespace {

/// The keys of an object and of what is in it, as the table of them has them: "operations.*.loss".
void collect_keys(const nlohmann::json& object, const std::string& prefix, std::set<std::string>& keys) {
  for (const auto& [name, value] : object.items()) {
    const std::string key = prefix + (prefix == "operations." ? "*" : name);
    if (prefix != "operations.") keys.insert(key);
    if (value.is_object()) collect_keys(value, key + ".", keys);
  }
}

/// Whether a line of the section has `a.b`, or `a.other` and then `.b`. A key of objects only is told by
/// theirs.
bool is_listed(const std::string& section, const std::string& key) {
  std::istringstream lines(section);
  const std::size_t dot = key.rfind('.');
  for (std::string line; std::getline(lines, line);) {
    if (contains(line, "`" + key + "`") || line.starts_with("| `" + key + ".")) return true;
    if (dot != std::string::npos && line.starts_with("| `" + key.substr(0, dot + 1)) &&
        contains(line, " `" + key.substr(dot) + "`"))
      return true;
  }
  return false;
}

}  // namespace

TEST_CASE("every key that a run writes has its line in the table of keys") {
  const Bench bench;
  REQUIRE(bench.run_with("monitor.every=\"5it\"").status == 0);
  const fs::path run = bench.folders().front();
  const std::string table = read_file(HALFLING_KEYS);
  for (const std::string file : {"metrics.jsonl", "summary.json", "monitor.jsonl"}) {
    const std::size_t begin = table.find("\n## " + file);
    REQUIRE(begin != std::string::npos);
    const std::string section = table.substr(begin, table.find("\n## ", begin + 1) - begin);
    std::set<std::string> keys;
    if (file == "summary.json") collect_keys(read_json(run / file), "", keys);
    if (file != "summary.json")
      for (const auto& line : read_lines(run / file)) collect_keys(line, "", keys);
    CHECK(keys.size() > 5);
    for (const std::string& key : keys) CHECK_MESSAGE(is_listed(section, key), file, ": ", key);
  }
}

TEST_CASE("environment.json has the formats in which a mixed run stores what it computes with") {
  const Bench bench;
  REQUIRE(bench.run({"--set", "precision.use=mixed", "--set", "average.decay=0.9"}).status == 0);
  const auto formats = read_json(bench.folders().front() / "environment.json")["formats"];
  for (const char* kind : {"weights", "optimizer states", "averages"}) {
    CAPTURE(kind);
    CHECK(formats[kind].size() == 1);
    CHECK(formats[kind].contains("f32"));
  }
  CHECK(formats["optimizer states"]["f32"].get<double>() > 2 * formats["weights"]["f32"].get<double>());
  CHECK(formats["weights as multiplied"].size() == 1);
  CHECK(formats["weights as multiplied"].contains("f16"));
  for (const char* kind : {"activations", "gradients"}) {
    CAPTURE(kind);
    CHECK(formats[kind].begin().key() == "f16");  // most of them
    CHECK(formats[kind].contains("f32"));         // batch norm's sums, losses
  }
}

TEST_CASE("a run leaves every file, and each says what it should") {
  const Bench bench;
  const Outcome outcome = bench.run();
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  REQUIRE(bench.folders().size() == 1);
  const fs::path run = bench.folders().front();

  SUBCASE("summary.json") {
    const auto summary = read_json(run / "summary.json");
    CHECK(summary["status"] == "done");
    CHECK(summary["experiment"] == "small");
    CHECK(summary["trial"] == run.filename().string());
    CHECK(summary["backend"] == "reference");
    CHECK(summary["precision"] == "fp32");
    CHECK(summary["native"] == true);
    CHECK(summary["batch_size"] == 8);
    CHECK(summary["iterations"] == 12);
    CHECK(summary["samples"] == 96);
    CHECK(summary["warmup_iterations"] == 3);
    CHECK(summary["timed_iterations"] == 9);
    const auto& ms = summary["ms_per_iteration"];
    CHECK(ms["p10"].get<double>() > 0);
    CHECK(ms["p10"].get<double>() <= ms["median"].get<double>());
    CHECK(ms["median"].get<double>() <= ms["p90"].get<double>());
    CHECK(summary["ms_per_1000_samples"].get<double>() == doctest::Approx(125 * ms["median"].get<double>()));
    CHECK(summary["images_per_s"].get<double>() > 8 / summary["wall_s"].get<double>());
    CHECK(summary["wall_s"].get<double>() > 0);
    CHECK(summary["input_wait_share"].get<double>() >= 0);
    CHECK(summary["disturbance"]["load_average"].get<double>() >= 0);
    CHECK(summary["disturbance"]["involuntary_switches"].get<std::int64_t>() >= 0);
    CHECK(summary["disturbance"]["slowed"].is_boolean());
    CHECK(summary["peak_bytes"].get<std::int64_t>() > 0);
    CHECK(summary["planned_bytes"]["total"].get<std::int64_t>() > 0);
    CHECK(summary["cost"].is_null());
    for (const char* operation : {"d", "g", "q"}) {
      CHECK(summary["operations"][operation]["loss"].is_number());
      CHECK(summary["operations"][operation]["loss_scale"] == 65536);
      CHECK(summary["operations"][operation]["skipped"] == 0);
      CHECK(summary["operations"][operation]["nonfinite"] == 0);
    }
  }
  SUBCASE("metrics.jsonl") {
    const auto lines = read_lines(run / "metrics.jsonl");
    REQUIRE(lines.size() == 12);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      CHECK(lines[i]["iteration"] == i + 1);
      CHECK(lines[i]["epoch"] == i / 7);  // 60 samples are 7 batches of 8
      CHECK(lines[i]["images_per_s"].get<double>() > 0);
      CHECK(lines[i]["operations"]["q"]["loss"].is_number());
    }
  }
  SUBCASE("images, checkpoint and origin") {
    for (const char* name : {"00000000.png", "00000005.png", "00000010.png", "00000012.png"}) {
      const Image image = read_png(run / "samples" / name);
      CHECK(image.width == 3 * 56 + 2 * 4 + 2 * 8);  // one column per class
      CHECK(image.height == 2 * 56 + 4 + 2 * 8);
    }
    CHECK(read_file(run / "samples/00000000.png") != read_file(run / "samples/00000012.png"));
    const SafetensorsFile checkpoint(run / "checkpoints" / "12.safetensors");
    CHECK(checkpoint.metadata().at("iteration") == "12");
    CHECK(checkpoint.metadata().at("epoch") == "1");
    CHECK(checkpoint.contains("g.fc1.weight"));
    CHECK(checkpoint.contains("g.bn1.running_mean"));
    CHECK(checkpoint.contains("random"));
    CHECK(checkpoint.contains("scaler.d.scale"));
    CHECK(checkpoint.contains("optimizer.d.updates"));
    const auto provenance = read_json(run / "provenance.json");
    CHECK(contains(provenance["budget.iterations"]["from"], "small.toml:35:14"));
    const auto environment = read_json(run / "environment.json");
    CHECK(environment["plugins"].size() == 6);
    CHECK(environment["device"]["formats"]["f16"] == "emulated");
    const std::string version = call(bench.scratch(), {"--version"}).out;
    const std::string commit = environment["commit"].get<std::string>();
    CHECK(contains(version, "commit: " + commit + (environment["changed"] == true ? ", changed\n" : "\n")));
    CHECK(environment["date"].get<std::string>().size() == 20);
    CHECK(contains(environment["steps"].dump(), "d.conv1/conv2d forward"));
    for (const auto& [kind, formats] : environment["formats"].items()) {
      CAPTURE(kind);
      CHECK(formats.size() == 1);
      CHECK(formats.begin().key() == (kind == "inputs" ? "u8" : "f32"));
    }
    CHECK(environment["formats"]["inputs"]["u8"] == 8 * 8 * 8);
  }
  SUBCASE("the table is the result, and stderr has no terminal tricks") {
    CHECK(contains(outcome.out, "LOSS d"));
    CHECK(contains(outcome.out, "noisy: fp32 has only 9 timed iterations"));
    CHECK(contains(outcome.err, "\n  " + run.string() + "\n"));
    CHECK(contains(outcome.err, "columns of the grids, in order: circle, square, triangle\n"));
    CHECK(contains(outcome.out, "fp32"));
    CHECK(contains(outcome.err, "it 12/12  d "));
    CHECK(!contains(outcome.err, "\r"));
    CHECK(!contains(outcome.err, "\x1b"));
  }
  SUBCASE("the resolved experiment is the same trial") {
    const std::string again = (bench.scratch() / "again").string();
    CHECK(call(bench.scratch(), {"run", (run / "experiment.toml").string(), "--out", again, "--quiet"})
              .status == 0);
    const fs::path second = fs::path(again) / "small" / run.filename();
    REQUIRE(fs::exists(second));
    CHECK(read_file(second / "experiment.toml") == read_file(run / "experiment.toml"));
    const std::string checkpoint = "checkpoints/12.safetensors";
    CHECK(read_file(second / checkpoint) == read_file(run / checkpoint));  // same seed, same bytes
    CHECK(read_file(second / "samples/00000012.png") == read_file(run / "samples/00000012.png"));
  }
  SUBCASE("the run folder stands for its trial") {
    const std::string folder = run.string();
    const Outcome again = call(bench.scratch(), {"run", folder});
    CHECK(again.status == 2);
    CHECK(contains(again.err, "this trial has run already"));  // in its own folder, not in ./runs
    CHECK(call(bench.scratch(), {"run", folder + "/", "--resume"}).status == 0);
    CHECK(call(bench.scratch(), {"run", folder, "--set", "experiment.seed=6", "--quiet"}).status == 0);
    CHECK(bench.folders().size() == 2);
    const std::string elsewhere = (bench.scratch() / "elsewhere").string();
    CHECK(call(bench.scratch(), {"run", folder, "--out", elsewhere, "--quiet"}).status == 0);
    CHECK(fs::exists(fs::path(elsewhere) / "small" / run.filename()));
    CHECK(call(bench.scratch(), {"plan", folder}).status == 0);
    CHECK(call(bench.scratch(), {"run", bench.out()}).status == 2);
  }
  SUBCASE("another seed is another trial with other numbers") {
    REQUIRE(bench.run_with("experiment.seed=6").status == 0);
    REQUIRE(bench.folders().size() == 2);
    const std::string checkpoint = "checkpoints/12.safetensors";
    CHECK(read_file(bench.folders()[0] / checkpoint) != read_file(bench.folders()[1] / checkpoint));
  }
}

TEST_CASE("precision.use is the only thing that changes between two trials of a sweep") {
  const Bench bench;
  write_file(bench.file(),
             small_experiment() + "[sweep.matrix]\n\"precision.use\" = [\"fp32\", \"mixed\"]\n");
  const Outcome outcome = bench.run();
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  REQUIRE(bench.folders().size() == 2);
  CHECK(contains(outcome.err, "[2/2] small: precision.use=mixed"));
  CHECK(contains(outcome.err, "emulated on this device: this run shows numerics, never speed"));
  CHECK(contains(outcome.err, "[f16 emulated]"));
  CHECK(!contains(outcome.out, "x)"));  // no ratio to an emulated run
  Words lines[2];
  for (int i = 0; i < 2; ++i) {
    std::istringstream text(read_file(bench.folders()[static_cast<std::size_t>(i)] / "experiment.toml"));
    bool policy = false;
    for (std::string line; std::getline(text, line);) {
      if (line.starts_with("[")) policy = line == "[precision]";
      if (!policy) lines[i].push_back(line);
    }
  }
  CHECK(lines[0] == lines[1]);
  int native = 0;
  for (const fs::path& folder : bench.folders())
    if (read_json(folder / "summary.json")["native"] == true) ++native;
  CHECK(native == 1);
}

TEST_CASE("what is the same for all trials of a sweep is said once, and each has its place in it") {
  const Bench bench;
  write_file(bench.file(), small_experiment() + "[sweep.matrix]\n\"experiment.seed\" = [1, 2, 3]\n");
  const Outcome outcome = bench.run();
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  const auto count = [&](const std::string& part) {
    int times = 0;
    for (std::size_t at = outcome.err.find(part); at != std::string::npos;
         at = outcome.err.find(part, at + 1))
      ++times;
    return times;
  };
  CHECK(count("  backend reference: ") == 1);
  CHECK(count("iterations an epoch; ") == 1);
  CHECK(count("[2/3] small: experiment.seed=2 in ") == 1);
  CHECK(contains(outcome.err, "\n[3/3]  it 12/12  d "));
  CHECK(contains(outcome.out, "fp32   3 "));  // one row for three seeds
}

TEST_CASE("run --format json is JSON alone, with what the table says") {
  const Bench bench;
  write_file(
      bench.file(),
      small_experiment() +
          "[sweep.matrix]\n\"loss_scaler.interval\" = [5, 6]\n\"precision.use\" = [\"mixed\", "
          "\"fp32\"]\n[[sweep.exclude]]\n\"loss_scaler.interval\" = 6\n\"precision.use\" = \"mixed\"\n");
  const Outcome outcome = bench.run({"--format", "json", "--baseline", "fp32"});
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  const auto result = nlohmann::json::parse(outcome.out);
  CHECK(result["experiment"] == "small");
  REQUIRE(result["trials"].size() == 3);
  const auto& trial = result["trials"][1];
  CHECK(trial["number"] == 2);
  CHECK(trial["status"] == "done");
  CHECK(trial["summary"] == read_json(fs::path(trial["folder"].get<std::string>()) / "summary.json"));
  REQUIRE(result["settings"].size() == 3);
  CHECK(result["settings"][1]["trials"] == nlohmann::json::array({2}));
  CHECK(result["settings"][1]["ms_per_iteration"]["mean"] == trial["summary"]["ms_per_iteration"]["median"]);
  CHECK(result["settings"][1]["ms_per_iteration"]["deviation"].is_null());
  for (const auto& setting : result["settings"]) CHECK(setting["images_per_s_ratio"].is_null());  // emulated
  const Outcome wrong = bench.run({"--baseline", "tf32", "--resume"});
  CHECK(wrong.status == 2);
  CHECK(contains(wrong.err, "no trial is called this"));
}

TEST_CASE("fp64 beside fp32 has a ratio; a control character of a label reaches nobody's terminal") {
  const Bench bench;
  write_file(bench.file(), small_experiment() + "[sweep.matrix]\n\"precision.use\" = [\"fp64\", \"fp32\"]\n");
  const Outcome outcome = bench.run({"--quiet"});
  CHECK(contains(outcome.out, "x: times the trial of fp32 that differs in precision alone\n"));
  write_file(bench.file(), small_experiment() +
                               "[sweep.matrix]\n\"dataset.use\" = [\"synthetic\"]\n\"monitor.values\" = "
                               "[[\"d.*\"], [\"\\u001b]0;owned\\u0007\"]]\n");
  for (const Outcome& told :
       {bench.run({"--list-trials"}), bench.run({}), call(bench.scratch(), {"plan", bench.file()})}) {
    CHECK(contains(told.out + told.err, "owned"));
    CHECK_FALSE(contains(told.out + told.err, "\x1b"));
  }
}

TEST_CASE("the first limit reached ends the run") {
  const Bench bench;
  const auto iterations = [&](const char* setting) {
    const std::string out = (bench.scratch() / "limit").string();
    fs::remove_all(out);
    const Outcome outcome =
        call(bench.scratch(), {"run", bench.file(), "--out", out, "--set", setting, "--quiet"});
    CHECK(outcome.status == 0);
    CHECK(outcome.err.empty());
    const fs::path run = fs::directory_iterator(fs::path(out) / "small")->path();
    return read_json(run / "summary.json")["iterations"].get<int>();
  };
  CHECK(iterations("budget.epochs=1") == 7);
  CHECK(iterations("budget.samples=33") == 5);
  CHECK(iterations("budget.iterations=2") == 2);
  CHECK(iterations("budget.time=\"1ms\"") < 12);
}

TEST_CASE("sample draws from the newest checkpoint, without the data set") {
  const Bench bench;
  REQUIRE(bench.run({"--quiet"}).status == 0);
  const std::string run = bench.folders().front().string();
  const std::string grid = (bench.scratch() / "grid.png").string();
  const auto sample = [&](Words more) {
    Words words{"sample", run, "--out", grid};
    words.insert(words.end(), more.begin(), more.end());
    return call(bench.scratch(), words);
  };
  CHECK(sample({}).status == 0);
  CHECK(read_file(grid) == read_file(run + "/samples/00000012.png"));
  CHECK(sample({"--seed", "9"}).status == 0);
  CHECK(read_file(grid) != read_file(run + "/samples/00000012.png"));
  CHECK(sample({"--classes", "square,0", "--rows", "1"}).status == 0);
  CHECK(read_png(grid).width == 2 * 56 + 4 + 2 * 8);
  const Outcome wrong = sample({"--classes", "squar"});
  CHECK(wrong.status == 2);
  CHECK(contains(wrong.err, "did you mean \"square\"?"));
  CHECK(call(bench.scratch(), {"sample", bench.out(), "--out", grid}).status == 2);
  CHECK(contains(sample({"--seed=-1"}).err, "a seed cannot be negative"));
  const std::string jpeg = (bench.scratch() / "grid.jpg").string();
  CHECK(contains(call(bench.scratch(), {"sample", run, "--out", jpeg}).err, "PNG only"));
  CHECK(!fs::exists(jpeg));
  CHECK(call(bench.scratch(), {"sample", run, "--out", bench.out()}).status == 2);
}
