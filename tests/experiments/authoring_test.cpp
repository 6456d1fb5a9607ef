// SPDX-License-Identifier: Apache-2.0
// halfling init and halfling diff.
#include <doctest/doctest.h>

#include "program.hpp"

using namespace halfling;
using namespace halfling::test;
namespace fs = std::filesystem;
using nlohmann::json;

namespace {

json differences(const Bench& bench, const std::string& a, const std::string& b, const Words& more = {}) {
  Words words{"diff", a, b, "--format", "json"};
  words.insert(words.end(), more.begin(), more.end());
  const Outcome outcome = call(bench.scratch(), words);
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  return json::parse(outcome.out);
}

}  // namespace

TEST_CASE("what init writes can be planned at once, says every option, and is never overwritten") {
  const Bench bench;
  const std::string file = (bench.scratch() / "my first.toml").string();
  const Outcome written = call(bench.scratch(), {"init", file, "--precision", "fp32"});
  CAPTURE(written.err);
  REQUIRE(written.status == 0);
  CHECK(written.out == file + "\n");
  const std::string text = read_file(file);
  for (const char* part : {"name = \"my-first\"", "use = \"acgan\"", "use = \"fp32\"", "# learning_rate = ",
                           "# batch_size = 64", "step size", "fp32 | fp64 | mixed", "# beta1 = "})
    CHECK_MESSAGE(contains(text, part), part);
  const Outcome planned = call(bench.scratch(), {"plan", file, "--set", "backend.use=reference"});
  CAPTURE(planned.err);
  CHECK(planned.status == 0);
  const Outcome again = call(bench.scratch(), {"init", file});
  CHECK(again.status == 2);
  CHECK(contains(again.err, "there already"));
  CHECK(read_file(file) == text);
}

TEST_CASE("init takes every kind of plugin, and writes a value of the right type where there is no default") {
  const Bench bench;
  for (const char* option : {"--loss-scaler", "--loss_scaler"}) {
    const std::string file = (bench.scratch() / (std::string(option) + ".toml")).string();
    const Outcome written = call(bench.scratch(), {"init", file, option, "log", "--precision", "rules"});
    CAPTURE(written.err);
    REQUIRE(written.status == 0);
    CHECK(contains(read_file(file), "use = \"log\""));
    CHECK(contains(read_file(file), "rules = []"));
    CHECK_FALSE(contains(call(bench.scratch(), {"plan", file}).err, "expected: a list"));
  }
}

TEST_CASE("the defaults that init shows are the defaults") {
  const Bench bench;
  const std::string file = (bench.scratch() / "a.toml").string(),
                    open = (bench.scratch() / "open.toml").string();
  REQUIRE(call(bench.scratch(), {"init", file}).status == 0);
  std::string text = read_file(file), opened;
  std::istringstream lines(text);
  bool element = false;  // of a list that has none unless one is written
  for (std::string line; std::getline(lines, line);) {
    element = line.starts_with("# [[") || (element && !line.empty());
    const std::size_t value = line.find_first_not_of(' ', line.find('=') + 1);
    const bool has_default = line.starts_with("# ") && contains(line, " = ") && line[value] != '#' &&
                             !element && !contains(line, "\"precision.use\"");
    opened += (has_default ? line.substr(2) : line) + "\n";
  }
  write_file(open, opened);
  CHECK(opened != text);
  CHECK(differences(bench, file, open) == json::array());
}

TEST_CASE("init shows every transform, and what it writes when they are taken into use is right") {
  const Bench bench;
  const std::string file = (bench.scratch() / "a.toml").string();
  REQUIRE(call(bench.scratch(), {"init", file}).status == 0);
  std::string text = read_file(file), opened;
  std::istringstream lines(text);
  bool element = false;
  for (std::string line; std::getline(lines, line);) {
    element = line.starts_with("# [[transform]]") || (element && !line.empty());
    opened += (element ? line.substr(2) : line) + "\n";
  }
  CHECK(contains(opened, "\n[[transform]] "));
  write_file(file, opened);
  const Outcome planned = call(
      bench.scratch(), {"explain", file, "transform.flip.probability", "--set", "backend.use=reference"});
  CAPTURE(planned.err);
  CHECK(planned.status == 0);
  CHECK(contains(planned.out, "0.5"));
}

TEST_CASE("init names what it does not know") {
  const Bench bench;
  const Outcome outcome =
      call(bench.scratch(), {"init", (bench.scratch() / "a.toml").string(), "--architecture", "acgann"});
  CHECK(outcome.status == 2);
  CHECK(contains(outcome.err, "did you mean \"acgan\"?"));
  CHECK_FALSE(fs::exists(bench.scratch() / "a.toml"));
}

TEST_CASE("diff takes a folder of runs, and any number of experiments") {
  const Bench bench;
  write_file(bench.file(), small_experiment() + "[sweep.matrix]\n\"optimizer.beta1\" = [0.1, 0.2, 0.3]\n");
  REQUIRE(bench.run({"--quiet", "--set", "budget.iterations=1"}).status == 0);
  const Outcome outcome = call(bench.scratch(), {"diff", bench.out(), "--format", "json"});
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  const json found = json::parse(outcome.out);
  REQUIRE(found.size() == 1);
  CHECK(found[0] == json{{"key", "optimizer.beta1"}, {"a", "0.1"}, {"b", "0.2"}, {"c", "0.3"}});
  const Outcome text = call(bench.scratch(), {"diff", bench.out() + "/small"});
  CHECK(contains(text.out, "KEY              A    B    C\noptimizer.beta1  0.1  0.2  0.3\n"));
  CHECK(contains(text.err, "C: " + bench.out() + "/small/"));
  CHECK(call(bench.scratch(), {"diff", bench.folders()[0].string()}).status == 2);
}

TEST_CASE("diff compares resolved values of files and of run folders") {
  const Bench bench;
  REQUIRE(bench.run().status == 0);
  const std::string run = bench.folders().front().string();
  CHECK(differences(bench, bench.file(), run) == json::array());
  const std::string other = (bench.scratch() / "other.toml").string();
  write_file(other,
             "# the same, but for\nextends = [\"small.toml\"]\n[optimizer]\nuse = \"sgd\"\n"
             "learning_rate = 2e-4\n[sweep.matrix]\n\"input.batch_size\" = [8, 16]\n");
  const json found = differences(bench, run, other, {"--trial", "2"});
  const auto has = [&](const char* key, const json& a, const json& b) {
    return std::ranges::any_of(found,
                               [&](const json& d) { return d["key"] == key && d["a"] == a && d["b"] == b; });
  };
  CHECK(has("optimizer.use", "\"adam\"", "\"sgd\""));
  CHECK(has("optimizer.beta1", "0.5", nullptr));
  CHECK(has("input.batch_size", "8", "16"));
  for (const json& difference : found) CHECK(difference["key"] != "optimizer.learning_rate");
  const Outcome text = call(bench.scratch(), {"diff", run, other});
  CHECK(contains(text.out, "optimizer.use"));
  CHECK(contains(text.err, "trial 1 of 2"));
}
