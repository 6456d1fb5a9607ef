// SPDX-License-Identifier: Apache-2.0
// The language's rules, seen from outside: files in, trials out.
#include <cstdlib>
#include <cstring>

#include "experiment_load.hpp"

using namespace halfling;
using namespace halfling::testing;

TEST_CASE("a file gives a complete trial: what it says, and the defaults") {
  const Folder folder;
  const Experiment e = only(load(folder.write("a.toml", base)));
  CHECK(e.name == "base");
  CHECK(e.seed == 1);
  CHECK(e.backend.use == "auto");
  CHECK(e.precision.options.string("half") == "auto");
  CHECK(e.loss_scaler.options.number("initial") == 1024);
  CHECK(e.loss_scaler.scope == ScalerScope::shared);
  CHECK(e.optimizer.options.number("beta1") == 0.25);
  CHECK(e.optimizer.options.number("learning_rate") == 2e-4);
  CHECK(e.optimizer_for("g").options.number("learning_rate") == 1e-3);
  CHECK(e.optimizer_for("g").options.number("beta1") == 0.25);
  CHECK(e.optimizer_for("d").options.number("learning_rate") == 2e-4);
  CHECK(e.budget.time == 4800);
  CHECK_FALSE(e.budget.iterations);
  CHECK(e.input.batch_size == 64);
  CHECK(e.sample.every == Interval{30, 0});
  CHECK(e.metrics.every == Interval{0, 10});
  CHECK_FALSE(e.checkpoint.every);
  CHECK(e.checkpoint.keep == 3);
  CHECK(e.label.empty());
  CHECK(e.id.size() == 12);
}

TEST_CASE("every value tells where it came from, and what it replaced") {
  const Folder folder;
  const auto parent = folder.write("base.toml", base);
  const auto child = folder.write("child.toml", "extends = [\"base.toml\"]\n[optimizer]\nbeta1 = 0.75\n");
  const Experiment e = only(load(child, {"optimizer.beta1=0.125"}));
  CHECK(origin(e, "optimizer.beta1").from == "--set #1");
  CHECK(origin(e, "optimizer.beta1").value == "0.125");
  CHECK(origin(e, "optimizer.beta1").overrode ==
        std::vector<std::string>{child.string() + ":3:9", parent.string() + ":20:9"});
  CHECK(origin(e, "optimizer.beta2").from == "default of adam 1.2.0");
  CHECK(origin(e, "input.prefetch").from == "default");
  CHECK(origin(e, "optimizer.operation.g.learning_rate").from == parent.string() + ":23:17");
}

TEST_CASE("files extend files: tables merge, scalars and lists replace, the later base wins") {
  const Folder folder;
  folder.write("base/one.toml", base + "[input]\nbatch_size = 16\nprefetch = 7\n");
  folder.write("base/two.toml",
               "[input]\nbatch_size = 32\n[dataset]\nuse = \"files\"\nclasses = [\"a\", \"b\"]\n");
  const auto file = folder.write("c.toml",
                                 "extends = [\"base/one.toml\", \"base/two.toml\"]\n"
                                 "dataset.classes = [\"c\"]\ndataset.root = \"x\"\n");
  const Experiment e = only(load(file));
  CHECK(e.input.batch_size == 32);
  CHECK(e.input.prefetch == 7);
  CHECK(e.dataset.options.strings("classes") == std::vector<std::string>{"c"});
}

TEST_CASE("a base of a base is found from its own folder") {
  const Folder folder;
  folder.write("lib/deep/root.toml", base);
  folder.write("lib/mid.toml", "extends = [\"deep/root.toml\"]\n");
  CHECK(only(load(folder.write("a.toml", "extends = [\"lib/mid.toml\"]\n"))).name == "base");
}

TEST_CASE("a new plugin drops the options of the old one, and a note says so") {
  const Folder folder;
  folder.write("base.toml", base);
  const auto file = folder.write("a.toml",
                                 "extends = [\"base.toml\"]\n[loss_scaler]\nuse = \"static\"\nscale = 8\n"
                                 "[optimizer]\nuse = \"sgd\"\n");
  const LoadedExperiment loaded = load(file);
  const Experiment e = only(loaded);
  CHECK(e.loss_scaler.options.number("scale") == 8);
  CHECK(e.loss_scaler.scope == ScalerScope::shared);  // the table's own key stays
  CHECK(e.optimizer.options.number("learning_rate") == 1e-2);
  CHECK(e.optimizer_of.empty());
  REQUIRE(loaded.notes.size() == 2);
  CHECK(loaded.notes[0] ==
        file.string() +
            ":3:7: note: loss_scaler changes from \"dynamic\" to \"static\"; dropped what was set "
            "for \"dynamic\": initial");
  CHECK(loaded.notes[1].find("beta1, operation") != std::string::npos);
}

TEST_CASE("naming the same plugin again keeps its options") {
  const Folder folder;
  folder.write("base.toml", base);
  const auto file = folder.write("a.toml", "extends = [\"base.toml\"]\n[optimizer]\nuse = \"adam\"\n");
  const LoadedExperiment loaded = load(file);
  CHECK(only(loaded).optimizer.options.number("beta1") == 0.25);
  CHECK(loaded.notes.empty());
}

TEST_CASE(
    "--set takes TOML, and plain words; the order of two arguments does not matter, of one key the last "
    "wins") {
  const Folder folder;
  const auto file = folder.write("a.toml", base);
  const Experiment e = only(load(
      file, {"loss_scaler.scale=4", "loss_scaler.use=static", "budget.time=2min", "experiment.name = \"x y\"",
             "experiment.name=plain", "dataset={use=\"files\", root=\"r\", classes=[\"a\", \"b\"]}",
             "input.shuffle=false", "\"input\".batch_size=8"}));
  CHECK(e.loss_scaler.options.number("scale") == 4);
  CHECK(e.budget.time == 120);
  CHECK(e.name == "plain");
  CHECK(e.dataset.options.strings("classes").size() == 2);
  CHECK_FALSE(e.input.shuffle);
  CHECK(e.input.batch_size == 8);
}

TEST_CASE("relative paths belong to the file that wrote them, those of --set to the working directory") {
  const Folder folder;
  folder.write("sub/base.toml", base + "\n");
  const auto file = folder.write("a.toml", "extends = [\"sub/data.toml\"]\n");
  folder.write("sub/data.toml",
               "extends = [\"base.toml\"]\n[dataset]\nuse = \"files\"\nroot = \"../images\"\n");
  const Experiment e = only(load(file));
  CHECK(e.dataset.options.string("root") == (folder.path() / "images").string());
  CHECK(e.dataset.options.string("index").empty());
  const Experiment set = only(load(file, {"dataset.root=./pictures/x"}));
  CHECK(set.dataset.options.string("root") == (std::filesystem::current_path() / "pictures/x").string());
}

TEST_CASE("the id depends on the content only") {
  const Folder folder;
  const Experiment a = only(load(folder.write("a.toml", base)));
  std::string turned =
      "# a comment\noptimizer.operation.g.learning_rate = 0.001\nbudget.time = \"80min\"\n"
      "optimizer = 0\n";
  turned =
      "budget = { time = \"80min\" }\noptimizer = { operation = { g = { learning_rate = 0.001 } }, beta1 = "
      "0.250, use = \"adam\" } # c\n"
      "architecture.use = 'acgan'\ndataset.use = \"synthetic\"\n[loss_scaler]\nscope = \"shared\"\ninitial = "
      "1024.0\nuse = \"dynamic\"\n"
      "[precision]\nuse = \"mixed\"\n[experiment]\nname = \"base\"\nseed = 0x1\n";
  const Experiment b = only(load(folder.write("other/b.toml", turned)));
  CHECK(a.toml == b.toml);
  CHECK(a.id == b.id);
  CHECK(a.id != only(load(folder.path() / "a.toml", {"optimizer.beta1=0.26"})).id);
}

TEST_CASE("budget and outputs are no part of what a trial is; everything else is") {
  const Folder folder;
  const auto file = folder.write("a.toml", base);
  const std::string id = only(load(file)).id;
  for (const char* same :
       {"budget.time=2h", "budget.iterations=7", "budget.epochs=1", "budget.samples=9", "sample.every=1it",
        "sample.rows=2", "sample.seed=9", "metrics.every=1it", "monitor.every=10it",
        "monitor.values=[\"d.*\"]", "checkpoint.every=1min", "checkpoint.keep=9"})
    CHECK_MESSAGE(only(load(file, {same})).id == id, same);
  for (const char* other :
       {"experiment.seed=2", "experiment.name=b", "backend.use=cpu", "precision.half=bf16",
        "loss_scaler.initial=2", "loss_scaler.scope=operation", "loss_scaler.patience=1", "dataset.samples=7",
        "input.batch_size=8", "input.shuffle=false", "architecture.z_dim=3", "optimizer.beta2=0.9",
        "optimizer.operation.g.beta1=0.1"})
    CHECK_MESSAGE(only(load(file, {other})).id != id, other);
}

TEST_CASE("~ is the home folder, in files and in --set; variables of the environment stay as they are") {
  const Folder folder;
  const std::string home = "/somebody's/home";
  const char* before = std::getenv("HOME");
  const std::string kept = before ? before : "";
  ::setenv("HOME", home.c_str(), 1);
  std::string text = base + "[vars]\nfolder = \"~/x/../images\"\n";
  text.replace(text.find("\"synthetic\""), 11, "\"files\"\nroot = \"${vars.folder}\"");
  const auto file = folder.write("a.toml", text);
  CHECK(only(load(file)).dataset.options.string("root") == home + "/images");
  const auto root = [&](const std::string& text) {
    return only(load(file, {"dataset.root=" + text})).dataset.options.string("root");
  };
  CHECK(root("~/data") == home + "/data");
  CHECK(root("~") == home);
  CHECK(root("./~/data") == (std::filesystem::current_path() / "~/data").string());
  CHECK(root("$HOME/data") == (std::filesystem::current_path() / "$HOME/data").string());
  folder.write("home/b.toml", base);
  ::setenv("HOME", (folder.path() / "home").c_str(), 1);
  CHECK(only(load(folder.write("c.toml", "extends = [\"~/b.toml\"]\n"))).name == "base");
  before ? ::setenv("HOME", kept.c_str(), 1) : ::unsetenv("HOME");
}

TEST_CASE("what a hint advises is taken") {
  const Folder folder;
  const auto file = folder.write("a.toml", base);
  // As bare words, after --set, and, but for the last, in a file.
  const std::pair<const char*, const char*> advised[] = {
      {"optimizer.beta1=.25", "0.25"},      {"optimizer.beta1=1.e-3", "1e-3"},
      {"optimizer.beta1=0.5f", "0.5"},      {"optimizer.beta1=00.5", "0.5"},
      {"input.batch_size=1e2", "100"},      {"input.batch_size=64.0", "64"},
      {"input.batch_size=0X10", "0x10"},    {"input.batch_size=007", "7"},
      {"input.shuffle=no", "false"},        {"input.shuffle=True", "true"},
      {"input.shuffle=1", "true"},          {"input.batch_size=\"8\"", "8"},
      {"dataset.classes=cat", "[\"cat\"]"}, {"experiment.name=7", "\"7\""},
  };
  for (const auto& [argument, value] : advised) {
    const std::string key(argument, std::strchr(argument, '='));
    std::vector<std::string> set{"dataset={use=\"files\", root=\"x\"}", argument};
    CAPTURE(argument);
    const std::string errors = errors_of(file, set);
    CAPTURE(errors);
    const std::size_t hint = errors.find("= hint: ");
    REQUIRE(hint != std::string::npos);
    CHECK(errors.find(value, hint) != std::string::npos);
    set.back() = key + "=" + value;
    CHECK(errors_of(file, set) == "none");
  }
  for (const char* hopeless :
       {"optimizer.beta1=\"2\"", "optimizer.beta1=fast", "input.batch_size=1.5", "input.batch_size=\"0\"",
        "precision.half=16", "input.shuffle=maybe", "budget.time=-1"})
    CHECK_MESSAGE(errors_of(file, {hopeless}).find("= hint: ") == std::string::npos, hopeless);
}

TEST_CASE("a resolved trial resolves to itself, wherever it lies") {
  const Folder folder;
  folder.write("base.toml", base);
  const auto file = folder.write("a.toml", R"(extends = ["base.toml"]
[backend]
trace = true
[dataset]
use = "files"
root = "../da\"ta/ü"
classes = ["a b", "c\\d\te"]
timeout = "1500ms"
cache = "1MB"
[optimizer]
learning_rate = 1.2345678901234567e-7
[optimizer.operation."q 1"]
beta2 = 0
[checkpoint]
every = "90s"
[sweep.matrix]
"precision.use" = ["fp32", "mixed"]
"optimizer.beta1" = [0.1, 0.30000000000000004]
"budget.samples" = [9007199254740993]
)");
  const LoadedExperiment loaded = load(file);
  REQUIRE(loaded.trials.size() == 4);
  for (const Experiment& trial : loaded.trials) {
    const Experiment again = only(load(folder.write("run/" + trial.id + ".toml", trial.toml)));
    CHECK(again.toml == trial.toml);
    CHECK(again.id == trial.id);
    CHECK(again.dataset.options.values() == trial.dataset.options.values());
    CHECK(again.optimizer.options.values() == trial.optimizer.options.values());
    CHECK(again.budget.samples == trial.budget.samples);
    CHECK(again.backend.use == "auto");
  }
}

TEST_CASE("a sweep gives its trials in file order, the last key fastest") {
  const Folder folder;
  const auto file = folder.write("a.toml", base + R"([sweep.matrix]
"precision.use" = ["fp32", "mixed"]
"input.batch_size" = [16, 64]
)");
  const auto trials = load(file).trials;
  REQUIRE(trials.size() == 4);
  CHECK(trials[0].label == "precision.use=fp32, input.batch_size=16");
  CHECK(trials[1].label == "precision.use=fp32, input.batch_size=64");
  CHECK(trials[3].label == "precision.use=mixed, input.batch_size=64");
  CHECK(trials[3].precision.use == "mixed");
  CHECK(trials[3].input.batch_size == 64);
  CHECK(origin(trials[3], "precision.use").from == file.string() + ":28:28");
}

TEST_CASE("a key that --set gives is not swept") {
  const Folder folder;
  const auto file =
      folder.write("a.toml", base + "[sweep.matrix]\n\"precision.use\" = [\"fp32\", \"mixed\"]\n");
  const LoadedExperiment loaded = load(file, {"precision.use=fp32"});
  CHECK(only(loaded).precision.use == "fp32");
  REQUIRE(loaded.notes.size() == 1);
  CHECK(loaded.notes[0].find("\"precision.use\" is not swept: --set #1 sets it") != std::string::npos);
}

TEST_CASE("the sweep itself can be set") {
  const Folder folder;
  const auto file = folder.write("a.toml", base);
  CHECK(load(file, {"sweep.matrix.\"input.batch_size\"=[1, 2, 3]"}).trials.size() == 3);
}

TEST_CASE("with backend auto, the chosen backend's options are completed") {
  const Folder folder;
  const DeclaredPlugins plugins;
  const Experiment e = only(load(folder.write("a.toml", base + "[backend]\ntrace = true\n")));
  const Options options = backend_options(e, *plugins.descriptor("backend", "cpu"));
  CHECK(options.boolean("trace"));
  CHECK(options.integer("threads") == 0);
}

TEST_CASE("a plugin whose default breaks its own rule is a failure, not the user's mistake") {
  const Folder folder;
  static constexpr OptionDeclaration bad[] = {{"width", OptionType::integer, "", "0", "width", 1}};
  DeclaredPlugins plugins;
  plugins.add("architecture", "odd", bad);
  try {
    load_experiment({folder.write("a.toml", base), {"architecture.use=odd"}}, plugins);
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.details().kind == ErrorKind::failure);
    CHECK(error.details().where == "odd 1.2.0");
  }
}

TEST_CASE("files that cannot be read") {
  const Folder folder;
  folder.write("quickstart.toml", base);
  const std::string missing = errors_of(folder.path() / "quikstart.toml");
  CHECK(missing.find("quikstart.toml: error[E001]: cannot read") != std::string::npos);
  CHECK(missing.find("did you mean \"quickstart.toml\"?") != std::string::npos);
  CHECK(errors_of(folder.path()).find("it is a folder") != std::string::npos);
  CHECK(errors_of("/dev/zero").find("a pipe, socket or device") != std::string::npos);
  if (::geteuid() != 0) {
    const auto file = folder.write("secret.toml", base);
    std::filesystem::permissions(file, std::filesystem::perms::none);
    CHECK(errors_of(file).find("Permission denied") != std::string::npos);
  }
}

TEST_CASE("a byte order mark and CRLF line ends do no harm") {
  const Folder folder;
  std::string text = "\xEF\xBB\xBF";
  for (const char c : base) text += c == '\n' ? "\r\n" : std::string(1, c);
  CHECK(only(load(folder.write("a.toml", text))).name == "base");
}

TEST_CASE("two thousand trials are checked quickly enough to plan with, and errors in each are told once") {
  const Folder folder;
  std::string values = "1";
  for (int i = 2; i <= 2000; ++i) values += ", " + std::to_string(i);
  const auto file =
      folder.write("a.toml", base + "[sweep.matrix]\n\"input.batch_size\" = [" + values + "]\n");
  CHECK(load(file).trials.size() == 2000);
  const std::string errors = errors_of(file, {"sample.rows=0"});
  CHECK(errors.find("--set #1") != std::string::npos);
  CHECK(errors.find("--set #1", errors.find("--set #1") + 1) == std::string::npos);
  CHECK(errors.find("in trial") == std::string::npos);
}
