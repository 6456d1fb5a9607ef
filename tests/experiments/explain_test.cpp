// SPDX-License-Identifier: Apache-2.0
// halfling explain: where each value came from.
#include <doctest/doctest.h>

#include "program.hpp"

using namespace halfling;
using namespace halfling::test;

namespace {

const std::string child = R"(extends = ["small.toml"]
[optimizer]
beta1 = 0.25
[sweep.matrix]
"precision.use" = ["fp32", "mixed"]
)";

struct Explained {
  Bench bench;
  std::string file = (bench.scratch() / "child.toml").string();
  Explained() { write_file(file, child); }
  Outcome explain(const Words& more) const {
    Words words{"explain", file};
    words.insert(words.end(), more.begin(), more.end());
    return call(bench.scratch(), words);
  }
};

}  // namespace

TEST_CASE("explain names the file, the command line and the plugin that a value came from") {
  const Explained explained;
  const std::string& file = explained.file;
  const Outcome outcome =
      explained.explain({"--set", "input.batch_size=16", "--trial", "2", "--format", "json"});
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  const auto result = nlohmann::json::parse(outcome.out);
  CHECK(result["label"] == "precision.use=mixed");
  const auto value = [&](const std::string& key) {
    for (const auto& entry : result["values"])
      if (entry["key"] == key) return entry;
    return nlohmann::json();
  };
  const std::string base = (explained.bench.scratch() / "small.toml").string();
  CHECK(value("optimizer.beta1")["value"] == "0.25");
  CHECK(value("optimizer.beta1")["from"] == file + ":3:9");
  CHECK(value("input.batch_size")["from"] == "--set #1");
  CHECK(value("input.batch_size")["overrode"] == Words{base + ":21:14"});
  CHECK(value("optimizer.beta2")["from"] == "default of adam 0.1.0");
  CHECK(value("precision.use")["from"] == file + ":5:28");
  CHECK(value("precision.use")["overrode"] == Words{base + ":9:7"});
  CHECK(value("checkpoint.keep")["from"] == "default");
}

TEST_CASE("explain takes a key or a table, and says which trial it explains") {
  const Explained explained;
  const Outcome one = explained.explain({"precision.use"});
  CHECK(one.status == 0);
  CHECK(contains(one.out, "precision.use  \"fp32\""));
  CHECK(std::count(one.out.begin(), one.out.end(), '\n') == 2);
  CHECK(contains(one.err, "trial 1 of 2: precision.use=fp32"));
  const Outcome table = explained.explain({"budget"});
  CHECK(contains(table.out, "budget.iterations"));
  CHECK_FALSE(contains(table.out, "optimizer"));
}

TEST_CASE("explain refuses keys and trials that are not there") {
  const Explained explained;
  const Outcome key = explained.explain({"optimizer.beta_1"});
  CHECK(key.status == 2);
  CHECK(contains(key.err, "did you mean \"optimizer.beta1\"?"));
  CHECK(key.out.empty());
  const Outcome trial = explained.explain({"--trial", "3"});
  CHECK(trial.status == 2);
  CHECK(contains(trial.err, "from 1 to 2"));
}

TEST_CASE("with --format json, errors are told in that form") {
  const Explained explained;
  const Outcome outcome =
      explained.explain({"--format", "json", "--set", "input.batchsize=3", "--set", "optimizer.beta1=2"});
  CHECK(outcome.status == 2);
  CHECK(outcome.err.empty());
  const auto errors = nlohmann::json::parse(outcome.out)["errors"];
  REQUIRE(errors.size() == 2);
  CHECK(errors[0]["code"] == "E010");
  CHECK(errors[0]["file"] == "--set #1");
  CHECK(errors[0]["hint"] == "did you mean \"batch_size\"?");
  write_file(explained.file, "extends = [\"small.toml\"]\n[input]\nprefetch = 0\n");
  const auto placed = nlohmann::json::parse(explained.explain({"--format=json"}).out)["errors"];
  REQUIRE(placed.size() == 1);
  CHECK(placed[0]["file"] == explained.file);
  CHECK(placed[0]["line"] == 3);
  CHECK(placed[0]["column"] == 12);
  CHECK(placed[0]["length"] == 1);
  write_file(explained.file, child);
  const auto other = nlohmann::json::parse(explained.explain({"--trial=9", "--format=json"}).out)["errors"];
  CHECK(other[0]["where"] == "--trial");
}

TEST_CASE("tables fit a terminal of 80 columns, and are whole in a file") {
  const Explained explained;
  const auto longest = [&](const Words& words) {
    ::setenv("COLUMNS", "80", 1);
    const Outcome outcome = call(explained.bench.scratch(), words);
    ::unsetenv("COLUMNS");
    CHECK(outcome.status == 0);
    std::ptrdiff_t longest = 0;
    std::istringstream lines(outcome.out);
    for (std::string line; std::getline(lines, line);)
      longest = std::max(longest, std::ranges::count_if(line, [](char c) { return (c & 0xc0) != 0x80; }));
    return longest;
  };
  CHECK(longest({"explain", explained.file}) <= 80);
  CHECK(longest({"plugins"}) <= 80);
  CHECK(longest({"plugins", "--verbose"}) <= 80);
  CHECK(
      contains(call(explained.bench.scratch(), {"plugins", "--verbose"}).out, "halfling-optimizer-adam.so"));
  CHECK(contains(explained.explain({}).out, explained.file + ":3:9"));
}
