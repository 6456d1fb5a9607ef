// SPDX-License-Identifier: Apache-2.0
// What reporters are told of a run, and that none of them can cost what was trained.
#include <doctest/doctest.h>

#include <algorithm>

#include "../unit/plugin_options.hpp"
#include "program.hpp"
#include "recorder.hpp"
#include "run/png.hpp"
#include "train/run_trial.hpp"

using namespace halfling;
using namespace halfling::test;
namespace fs = std::filesystem;

namespace {

const Registry& registry() {
  static const Registry registry = Registry::scan({HALFLING_TEST_PLUGINS});
  return registry;
}

/// A run in this process.
class Run {
 public:
  explicit Run(const Words& settings = {})
      : loaded_(load_experiment({bench_.file(), settings}, registry())),
        folder_(bench_.out(), loaded_.trials.front()) {}

  Summary train(const std::vector<NamedReporter>& reporters, bool resume = false) {
    Progress progress(Progress::Mode::quiet);
    return run_trial(loaded_.trials.front(), registry(), folder_, progress, resume, reporters);
  }
  const RunFolder& folder() const { return folder_; }
  fs::path operator/(const std::string& name) const { return folder_.path() / name; }

 private:
  Bench bench_;
  LoadedExperiment loaded_;
  RunFolder folder_;
};

void fail() {
  throw std::runtime_error("the disk is gone");
}

/// Fails in every call of one kind.
class Failing : public Recorder {
 public:
  explicit Failing(std::string call) : call_(std::move(call)) {}
  void began(const RunDescription& run) override {
    Recorder::began(run);
    if (call_ == "began") fail();
  }
  void metrics(const RunMetrics& now) override {
    Recorder::metrics(now);
    if (call_ == "metrics") fail();
  }
  void ended(const Summary& summary) override {
    Recorder::ended(summary);
    if (call_ == "ended") fail();
  }

 private:
  std::string call_;
};

}  // namespace

TEST_CASE("a reporter is told all that the run's own files hold, in order") {
  Run run({"checkpoint.every=\"6it\"", "monitor.every=\"5it\"", "metrics.every=\"2it\""});
  Recorder told;
  const Summary summary = run.train({{&told, "recorder"}});

  CHECK(told.events.front() == "began 0");
  CHECK(told.events.at(1) == "grid 0");
  CHECK(told.events.back() == "ended done 12");
  CHECK(told.count("iteration") == 12);
  CHECK(told.count("metrics") == 6);
  CHECK(told.count("grid") == 4);      // 0, 5, 10, 12
  CHECK(told.count("observed") == 3);  // 1, 5, 10
  CHECK(told.count("checkpoint") == 2);
  CHECK(told.place("observed 5") < told.place("iteration 5"));
  CHECK(told.place("iteration 6") < told.place("metrics 6"));
  CHECK(told.place("metrics 6") < told.place("checkpoint 6"));
  CHECK(told.place("checkpoint 12") < told.place("grid 12"));

  const RunDescription& d = told.description;
  CHECK(d.experiment == "small");
  CHECK(d.folder == run.folder().path());
  CHECK(d.operations == Words{"d", "g", "q"});
  CHECK(d.classes == Words{"circle", "square", "triangle"});
  CHECK(d.samples == 60);
  CHECK(d.iterations_per_epoch == 7);
  CHECK(d.last_iteration == 12);
  CHECK(d.setup_s > 0);
  CHECK(std::ranges::count(d.settings, std::pair<std::string, std::string>{"optimizer.use", "\"adam\""}) ==
        1);

  const auto lines = read_lines(run / "metrics.jsonl");
  REQUIRE(lines.size() == told.all_metrics.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const RunMetrics& metrics = told.all_metrics[i];
    const IterationDone& done = told.iterations.at(static_cast<std::size_t>(metrics.iteration - 1));
    CHECK(lines[i]["iteration"] == metrics.iteration);
    CHECK(lines[i]["elapsed_s"] == metrics.elapsed);
    CHECK(done.elapsed == metrics.elapsed);
    CHECK(lines[i]["images_per_s"] == metrics.images_per_s);
    CHECK(metrics.mean_images_per_s > 0);
    CHECK(metrics.ends == (i + 1 == lines.size()));
    for (std::size_t o = 0; o < 3; ++o) {
      CHECK(lines[i]["operations"][d.operations[o]]["loss"] == metrics.operations[o].loss);
      CHECK(done.losses[o] == metrics.operations[o].loss);
    }
  }
  const SampleGrid& grid = told.grids.back();
  CHECK(grid.columns == d.classes);
  CHECK(grid.rows == 2);
  CHECK(grid.seconds > 0);
  CHECK(grid.image.pixels == read_png(run / "samples/00000012.png").pixels);
  CHECK(told.observations * 3 == read_lines(run / "monitor.jsonl").size());
  CHECK(told.checkpoint_bytes == summary.planned.snapshot);
  CHECK(summary_json(told.end) == summary_json(summary));
  CHECK(nlohmann::json(summary_json(told.end)) == read_json(run / "summary.json"));
  CHECK(told.notes.empty());
}

TEST_CASE("metrics between the due ones go only to who wants them") {
  class Impatient : public Recorder {
   public:
    bool wants_metrics() const override { return iterations.size() == 4; }
  };
  Run run({"metrics.every=\"1h\""});
  Impatient impatient;
  Recorder patient;
  run.train({{&impatient, "impatient"}, {&patient, "patient"}});
  REQUIRE(impatient.all_metrics.size() == 2);
  CHECK(impatient.all_metrics[0].iteration == 4);
  CHECK(impatient.all_metrics[1].iteration == 12);
  CHECK(patient.count("metrics") == 1);
  CHECK(read_lines(run / "metrics.jsonl").size() == 1);
}

TEST_CASE("a reporter that fails is told once and ends nothing") {
  for (const std::string call : {"began", "metrics", "ended"}) {
    CAPTURE(call);
    Run run;
    Recorder before, after;
    Failing failing(call);
    CHECK(run.train({{&before, "before"}, {&failing, "mine"}, {&after, "after"}}).status == "done");
    const Words expected{"the reporter mine failed, and the run goes on: the disk is gone"};
    CHECK(before.notes == expected);
    CHECK(after.notes == expected);
    CHECK(after.count("metrics") == 12);
    CHECK(after.events.back() == "ended done 12");
    CHECK(failing.events.size() == (call == "began" ? 1 : before.events.size()));
    CHECK(read_json(run / "summary.json")["status"] == "done");
  }
}

TEST_CASE("a required reporter that fails ends the run with a checkpoint, from which it goes on") {
  Run straight, run;
  Recorder told;
  straight.train({});
  At failing(5, fail);
  const ErrorDetails error = error_of([&] { run.train({{&told, "told"}, {&failing, "mine", true}}); });
  CHECK(error.what == "the reporter mine, which is required, failed: the disk is gone");
  CHECK(told.events.back() == "ended failed 5");
  CHECK(told.place("checkpoint 5") >= 0);
  CHECK(contains(told.end.error, "the disk is gone"));
  const auto summary = read_json(run / "summary.json");
  CHECK(summary["status"] == "failed");
  CHECK(summary["iterations"] == 5);
  CHECK(run.train({}, true).status == "done");
  CHECK(last_checkpoint(run.folder().path(), 12) == last_checkpoint(straight.folder().path(), 12));
}

TEST_CASE("a required reporter that cannot begin ends the run before it trains") {
  Run run;
  Failing failing("began");
  CHECK(contains(error_of([&] { run.train({{&failing, "mine", true}}); }).what, "mine"));
  CHECK(read_json(run / "summary.json")["iterations"] == 0);
}

TEST_CASE("folders that vanish during a run are made again") {
  Run run({"checkpoint.every=\"6it\""});
  Recorder told;
  At vandal(8, [&] { fs::remove_all(run / "samples"); });
  AfterCheckpoint other(6, run / "checkpoints/6.safetensors", [&] { fs::remove_all(run / "checkpoints"); });
  CHECK(run.train({{&told, "told"}, {&vandal, "vandal"}, {&other, "other"}}).status == "done");
  CHECK(told.notes.empty());
  CHECK(!fs::exists(run / "samples/00000005.png"));
  CHECK(fs::exists(run / "samples/00000010.png"));
  CHECK(!fs::exists(run / "checkpoints/6.safetensors"));
  CHECK(fs::exists(run / "samples/00000012.png"));
  CHECK(fs::exists(run / "checkpoints/12.safetensors"));
}

TEST_CASE("grids that cannot be written cost neither the run nor its last state") {
  Run straight, run;
  straight.train({});
  Recorder told;
  At vandal(11, [&] {
    fs::remove_all(run / "samples");
    write_file(run / "samples", "a file in the way of the folder");
  });
  CHECK(run.train({{&vandal, "vandal"}, {&told, "told"}}).status == "done");
  REQUIRE(told.notes.size() == 1);
  CHECK(contains(told.notes[0], "the reporter samples failed, and the run goes on: "));
  CHECK(contains(told.notes[0], "00000012.png"));
  CHECK(last_checkpoint(run.folder().path(), 12) == last_checkpoint(straight.folder().path(), 12));
  CHECK(read_json(run / "summary.json")["status"] == "done");
}

TEST_CASE("a checkpoint that cannot be written ends the run, and is told with its file") {
  Run run({"checkpoint.every=\"6it\""});
  Recorder told;
  AfterCheckpoint vandal(6, run / "checkpoints/6.safetensors", [&] {
    fs::remove_all(run / "checkpoints");
    write_file(run / "checkpoints", "a file in the way of the folder");
  });
  const ErrorDetails error = error_of([&] { run.train({{&told, "told"}, {&vandal, "vandal"}}); });
  CHECK(error.where == (run / "checkpoints/12.safetensors").string());
  CHECK(told.events.back() == "ended failed 12");
  CHECK(contains(told.end.error, "12.safetensors"));
  CHECK(told.place("checkpoint 6") >= 0);
  CHECK(told.place("grid 12") < 0);
}

TEST_CASE("a resumed run tells where it goes on") {
  Run run({"checkpoint.every=\"6it\""});
  run.train({});
  fs::remove(run / "summary.json");
  fs::remove(run / "checkpoints/12.safetensors");
  Recorder told;
  run.train({{&told, "told"}}, true);
  CHECK(told.events.front() == "began 6");
  CHECK(told.description.iteration == 6);
  CHECK(told.description.elapsed > 0);
  CHECK(told.iterations.front().iteration == 7);
}

TEST_CASE("a reporter out of this tree writes its own file, also of a run that goes on") {
  Run run({"checkpoint.every=\"6it\"", "metrics.every=\"2it\""});
  const auto make = [] {
    return registry().create<Reporter>("losses-csv", plugin_options(registry(), "reporter", "losses-csv"));
  };
  const auto csv = make();
  run.train({{csv.get(), "csv"}});
  const std::string whole = read_file(run / "losses.csv");
  CHECK(whole.starts_with("iteration,d,g,q\n2,"));
  CHECK(std::ranges::count(whole, '\n') == 7);
  fs::remove(run / "summary.json");
  fs::remove(run / "checkpoints/12.safetensors");
  const auto again = make();
  run.train({{again.get(), "csv"}}, true);
  CHECK(read_file(run / "losses.csv") == whole);
}

TEST_CASE("[[reporter]] gives a run more reporters, each with a name of its own") {
  const Bench bench;
  write_file(bench.file(), small_experiment() + R"(
[[reporter]]
use = "losses-csv"

[[reporter]]
use = "losses-csv"
name = "tabs"
file = "losses.tsv"
separator = "\t"
)");
  const Words words{"--plugin-path", HALFLING_TEST_PLUGINS};
  const Outcome outcome = bench.run(words);
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  const fs::path run = bench.folders().front();
  CHECK(read_file(run / "losses.csv").starts_with("iteration,d,g,q\n1,"));
  CHECK(read_file(run / "losses.tsv").starts_with("iteration\td\tg\tq\n1\t"));
  CHECK(read_json(run / "environment.json")["plugins"].back()["name"] == "losses-csv");

  SUBCASE("what is wrong with one's options is told before anything runs") {
    Words wrong = words;
    wrong.insert(wrong.end(), {"--set", "reporter.tabs.file=\"a/b\"", "--set", "experiment.seed=6"});
    const Outcome refused = bench.run(wrong);
    CHECK(refused.status == 2);
    CHECK(contains(refused.err, "the table is a file of the run folder"));
    CHECK(contains(refused.err, "--set #1"));
    CHECK(bench.folders().size() == 1);
  }
  SUBCASE("one that is required ends the run where it fails") {
    const fs::path table = run / "losses.tsv";
    fs::remove(table);
    fs::create_directory(table);
    Words more = words;
    more.insert(more.end(), {"--resume", "--set", "budget.iterations=14"});
    const Outcome told = bench.run(more);
    CHECK(told.status == 0);
    CHECK(contains(told.err,
                   "the reporter tabs failed, and the run goes on: the table of losses cannot be written"));
    more.back() = "budget.iterations=16";
    more.insert(more.end(), {"--set", "reporter.tabs.required=true"});
    const Outcome ended = bench.run(more);
    CHECK(ended.status == 1);
    CHECK(contains(ended.err, "the reporter tabs, which is required, failed"));
  }
}
