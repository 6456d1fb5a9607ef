// SPDX-License-Identifier: Apache-2.0
// [optimizer.schedule], and optimizers of single training operations.
#include <fmt/format.h>

#include "experiment_load.hpp"

using namespace halfling;
using namespace halfling::testing;
using Kind = ScheduleAttributes::Kind;

namespace {

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

Experiment with(const std::string& text, std::vector<std::string> set = {}) {
  const Folder folder;
  folder.write("base.toml", base);
  return only(load(folder.write("a.toml", "extends = [\"base.toml\"]\n" + text), std::move(set)));
}

std::string faults(const std::string& text) {
  const Folder folder;
  folder.write("base.toml", base);
  return errors_of(folder.write("a.toml", "extends = [\"base.toml\"]\n" + text));
}

constexpr const char* cosine =
    "[optimizer.schedule]\nkind = \"cosine\"\nlength = \"80%\"\nwarmup = \"500it\"\n";
constexpr const char* counted = "[budget]\niterations = 5000\n";

}  // namespace

TEST_CASE("a schedule is read, with its defaults") {
  const Experiment e = with(std::string(counted) + cosine);
  const ScheduleSettings& s = e.optimizer.schedule;
  CHECK(s.kind == Kind::cosine);
  CHECK(s.length == TrainingLength{.percent = 80});
  CHECK(s.warmup == TrainingLength{.iterations = 500});
  CHECK(s.end_factor == 0);
  CHECK(s.warmup_factor == 0);
  CHECK(origin(e, "optimizer.schedule.end_factor").from == "default");
  CHECK(e.optimizer_for("g").schedule.kind == Kind::cosine);
  CHECK(e.optimizer_for("d").schedule.kind == Kind::cosine);

  const Folder folder;
  const Experiment again = only(load(folder.write("again.toml", e.toml)));
  CHECK(again.id == e.id);
  CHECK(again.toml == e.toml);
}

TEST_CASE("all units of a length") {
  const auto every = [](const char* length) {
    return with(fmt::format("[optimizer.schedule]\nkind = \"step\"\nevery = \"{}\"\n", length))
        .optimizer.schedule.every;
  };
  CHECK(every("10ep") == TrainingLength{.epochs = 10});
  CHECK(every("0.5 ep") == TrainingLength{.epochs = 0.5});
  CHECK(every("640000samples") == TrainingLength{.samples = 640000});
  CHECK(every("5000it") == TrainingLength{.iterations = 5000});
  for (const char* wrong : {"0it", "1.5it", "10", "5min", "-1ep", "1e3it", "10epochs", "it", "%"})
    CHECK(has(faults(fmt::format("[optimizer.schedule]\nkind = \"step\"\nevery = \"{}\"\n", wrong)),
              "a share of the budget (\"80%\")"));
  CHECK(has(faults("[optimizer.schedule]\nkind = \"step\"\nevery = 10\n"), "\"10it\", \"10ep\""));
}

TEST_CASE("a share of the budget needs a budget that counts, and makes it part of what is learned") {
  const std::string text = faults(cosine);
  CHECK(has(text, "a.toml:4:10"));
  CHECK(has(text, "\"optimizer.schedule.length\" is a share of a budget of time"));
  CHECK(has(text, "how many updates fit into a time is not known"));

  const std::string longer = "budget.iterations=6000";
  const auto id = [](const std::string& text, std::vector<std::string> set = {}) {
    return with(text, set).id;
  };
  CHECK(id(std::string(counted) + cosine) != id(std::string(counted) + cosine, {longer}));
  CHECK(id(std::string(counted) + cosine) == id(std::string(counted) + cosine, {"budget.time=1min"}));
  const std::string fixed = "[optimizer.schedule]\nkind = \"linear\"\nlength = \"4000it\"\n";
  CHECK(id(counted + fixed) == id(counted + fixed, {longer}));
  CHECK(id(counted) == id(counted, {longer}));
}

TEST_CASE("an operation has a schedule of its own: over the one above, or of another kind by itself") {
  const std::string above = std::string(counted) + cosine;
  const Experiment over = with(above + "[optimizer.operation.d.schedule]\nend_factor = 0.5\n");
  CHECK(over.optimizer_for("d").schedule.length == TrainingLength{.percent = 80});
  CHECK(over.optimizer_for("d").schedule.end_factor == 0.5);
  CHECK(over.optimizer_for("g").schedule.end_factor == 0);

  const Experiment other =
      with(above + "[optimizer.operation.d.schedule]\nkind = \"step\"\nevery = \"1ep\"\n");
  CHECK(other.optimizer_for("d").schedule.kind == Kind::step);
  CHECK(other.optimizer_for("d").schedule.factor == 0.1);
  CHECK_FALSE(other.optimizer_for("d").schedule.warmup);
  CHECK(other.optimizer_for("g").schedule.kind == Kind::cosine);

  CHECK(has(faults("[optimizer.operation.d.schedule]\nfactor = 0.5\n"),
            "\"optimizer.operation.d.schedule.kind\" is missing"));
}

TEST_CASE("what a kind of schedule does not have, and what it must have") {
  const std::string unknown =
      faults("[optimizer.schedule]\nkind = \"step\"\nevery = \"1ep\"\nlength = \"9ep\"\n");
  CHECK(has(unknown, "unknown key \"optimizer.schedule.length\""));
  CHECK(has(unknown, "expected: kind, every, factor, warmup, warmup_factor"));
  CHECK(has(faults("[optimizer.schedule]\nkind = \"linear\"\n"), "\"optimizer.schedule.length\" is missing"));
  CHECK(has(faults("[optimizer.schedule]\nkind = \"cosin\"\n"), "did you mean \"cosine\""));
  CHECK(has(faults("[optimizer]\nschedule = \"cosine\"\n"), "a table: [optimizer.schedule]"));
}

TEST_CASE("a schedule stays when the optimizer is another, and goes when its kind is") {
  const Folder folder;
  folder.write("base.toml", base);
  folder.write("mid.toml", std::string("extends = [\"base.toml\"]\n") + counted + cosine);
  const LoadedExperiment swapped =
      load(folder.write("a.toml", "extends = [\"mid.toml\"]\n[optimizer]\nuse = \"sgd\"\n"));
  CHECK(only(swapped).optimizer.schedule.kind == Kind::cosine);
  const LoadedExperiment stepped = load(folder.write(
      "b.toml", "extends = [\"mid.toml\"]\n[optimizer.schedule]\nkind = \"step\"\nevery = \"2ep\"\n"));
  CHECK(only(stepped).optimizer.schedule.kind == Kind::step);
  REQUIRE(stepped.notes.size() == 1);
  CHECK(
      has(stepped.notes[0], "optimizer.schedule changes from \"cosine\" to \"step\"; dropped what was set"));
  CHECK(has(stepped.notes[0], "length, warmup"));
}

TEST_CASE("an operation may use another optimizer, with options of its own") {
  const Experiment e = with("[optimizer.operation.d]\nuse = \"sgd\"\nmomentum = 0.9\n");
  CHECK(e.optimizer.use == "adam");
  CHECK(e.optimizer_for("g").use == "adam");
  CHECK(e.optimizer_for("g").options.number("learning_rate") == 1e-3);
  CHECK(e.optimizer_for("d").use == "sgd");
  CHECK(e.optimizer_for("d").options.number("momentum") == 0.9);
  CHECK(e.optimizer_for("d").options.number("learning_rate") == 1e-2);  // sgd's own default
  CHECK(has(origin(e, "optimizer.operation.d.learning_rate").from, "default of sgd"));
  const Folder folder;
  CHECK(only(load(folder.write("again.toml", e.toml))).id == e.id);

  CHECK(has(faults("[optimizer.operation.d]\nuse = \"sgd\"\nbeta1 = 0.9\n"),
            "unknown key \"optimizer.operation.d.beta1\""));
  CHECK(has(faults("[optimizer.operation.d]\nuse = \"sdg\"\n"), "did you mean \"sgd\""));
  // The same plugin named again is no other one.
  CHECK(with("[optimizer.operation.d]\nuse = \"adam\"\n").optimizer_for("d").options.number("beta1") == 0.25);
}

TEST_CASE("another optimizer of an operation drops what was set for the one before") {
  const Folder folder;
  folder.write("base.toml", base);
  folder.write("mid.toml",
               "extends = [\"base.toml\"]\n[optimizer.operation.d]\nuse = \"sgd\"\nmomentum = 0.9\n");
  const LoadedExperiment loaded =
      load(folder.write("a.toml", "extends = [\"mid.toml\"]\n[optimizer.operation.d]\nuse = \"adam\"\n"));
  CHECK(only(loaded).optimizer_for("d").options.number("beta1") == 0.25);
  REQUIRE(loaded.notes.size() == 1);
  CHECK(has(loaded.notes[0], "optimizer.operation.d changes from \"sgd\" to \"adam\""));
}

TEST_CASE("a sweep over a key of the schedule") {
  const Folder folder;
  folder.write("base.toml", base);
  const LoadedExperiment loaded = load(
      folder.write("a.toml", std::string("extends = [\"base.toml\"]\n") + counted + cosine +
                                 "[sweep.matrix]\n\"optimizer.schedule.length\" = [\"50%\", \"2ep\"]\n"));
  REQUIRE(loaded.trials.size() == 2);
  CHECK(loaded.trials[0].optimizer.schedule.length == TrainingLength{.percent = 50});
  CHECK(loaded.trials[1].optimizer.schedule.length == TrainingLength{.epochs = 2});
  CHECK(loaded.trials[0].id != loaded.trials[1].id);
}
