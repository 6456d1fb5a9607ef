// SPDX-License-Identifier: Apache-2.0
// The tables that commands print.
#include <doctest/doctest.h>

#include <limits>
#include <sstream>

#include "cli/comparison.hpp"
#include "cli/table.hpp"
#include "halfling/error.hpp"

using namespace halfling;
using namespace halfling::cli;

namespace {

using How = Narrowing::How;

/// A run of batches of 64 that takes so many milliseconds an iteration.
ComparedRun run_of(const std::string& precision, double ms, const std::string& others = "",
                   std::uint64_t seed = 1) {
  ComparedRun compared{{}, 0, seed, precision, others};
  Summary& run = compared.summary;
  run.precision = precision;
  run.status = "done";
  run.label = "precision.use=" + precision + (others.empty() ? "" : ", " + others) +
              (seed == 1 ? "" : ", experiment.seed=" + std::to_string(seed));
  run.batch_size = run.samples_per_iteration = 64;
  run.iterations = 1000;
  run.timed_iterations = 997;
  run.ms_per_iteration = {ms, 0.9 * ms, 1.2 * ms};
  run.peak_bytes = std::uint64_t{400} << 20;
  run.operations = {{"d", 1.5, 32768, 0}, {"g", 0.5, 32768, 0}, {"q", 2, 32768, 0}};
  return compared;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::size_t longest_line(const std::string& text) {
  std::size_t longest = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) longest = std::max(longest, line.size());
  return longest;
}

constexpr std::size_t wide = 1000;

}  // namespace

TEST_CASE("a table gives way to a narrow terminal, step by step and no further than needed") {
  const std::vector<Row> rows{{"KEY", "VALUE", "FROM", "MEANING"},
                              {"a", "0123456789012345", "/one/long/path/file:1", "many words in a line"}};
  const std::vector<Narrowing> steps{{"FROM", How::cut_begin}, {"VALUE", How::drop}, {"MEANING", How::fold}};
  CHECK(table(rows, wide, steps) == table(rows));
  CHECK(contains(table(rows, 60, steps), "…ng/path/file:1"));
  CHECK(contains(table(rows, 60, steps), "VALUE"));
  CHECK(table(rows, 34, steps) ==
        "KEY  FROM          MEANING\n"
        "a    …path/file:1  many words in a\n"
        "                   line\n"
        "hidden: VALUE; COLUMNS=200 shows\n"
        "more\n");
  CHECK(table({{"A", "EMPTY", "B"}, {"1", "", "2"}}, 4, {{"EMPTY", How::drop}}) == "A  B\n1  2\n");
}

TEST_CASE("a row may be shorter than others") {
  CHECK(table({{"A", "B", "C"}, {"1"}, {"1", "2", "3", "4"}}) == "A  B  C\n1\n1  2  3  4\n");
  CHECK(
      table({{"A", "B", "C"}, {"1"}, {"1", "2", "3"}}, 4, {{"B", How::drop}}).starts_with("A  C\n1\n1  3\n"));
}

TEST_CASE("no cell makes a terminal do anything") {
  CHECK(table({{"A"}, {"\x1b]0;owned\x07\n"}}) == "A\n\\u001B]0;owned\\u0007\\n\n");
}

TEST_CASE("images a second and milliseconds are of the same median; only the ratio is beside them") {
  const std::string text = comparison({run_of("fp32", 10), run_of("mixed", 6.4)}, "", wide);
  CHECK(contains(text, "10.00         9.00-12.00  6400 "));
  CHECK(contains(text, "6.40          5.76-7.68   10000 (1.56x)"));
  CHECK(contains(text, "400 (1.00x)"));
  CHECK(contains(text, "x: times the trial of fp32 that differs in precision alone"));
  CHECK_FALSE(contains(text, "noisy"));
  CHECK_FALSE(contains(text, "WARNING"));
  CHECK_FALSE(contains(text, "SEEDS"));
}

TEST_CASE("what a million iterations cost stands beside the times where there is a price") {
  std::vector<ComparedRun> runs{run_of("fp32", 10), run_of("mixed", 6.4)};
  CHECK_FALSE(contains(comparison(runs, "", wide), "COST"));
  runs[0].summary.price = Price{0.36, "USD", "gcp-x", "a device", "a list", "2025"};
  const std::string text = comparison(runs, "", wide);
  CHECK(contains(text, "1.00 USD"));
  CHECK(contains(text, "COST/1M: of a million iterations, at 0.36 USD/h (gcp-x, 2025)"));
}

TEST_CASE("the baseline is fp32, wherever it stands, or the trial that is named") {
  const std::vector<ComparedRun> runs{run_of("mixed", 5), run_of("tf32", 8), run_of("fp32", 10)};
  const std::string text = comparison(runs, "", wide);
  CHECK(contains(text, "12800 (2.00x)"));
  CHECK(contains(text, "8000 (1.25x)"));
  CHECK(contains(text, "6400 "));
  CHECK_FALSE(contains(text, "6400 ("));
  for (const char* name : {"tf32", "precision.use=tf32"}) {
    const std::string other = comparison(runs, name, wide);
    CHECK(contains(other, "12800 (1.60x)"));
    CHECK(contains(other, "6400 (0.80x)"));
    CHECK_FALSE(contains(other, "8000 ("));
  }
  CHECK(contains(
      comparison({runs[0], runs[1]}, "", wide),
      "no ratios: no native trial of fp32 among those that differ in precision alone; --baseline LABEL"));
  CHECK_FALSE(contains(comparison({runs[0]}, "", wide), "no ratios"));
}

TEST_CASE("only trials that differ in precision alone have a ratio, and stand together") {
  const std::string text =
      comparison({run_of("fp32", 10, "input.batch_size=16"), run_of("fp32", 20, "input.batch_size=64"),
                  run_of("mixed", 8, "input.batch_size=16"), run_of("mixed", 10, "input.batch_size=64"),
                  run_of("mixed", 10, "optimizer.use=sgd")},
                 "", wide);
  const auto at = [&](const char* part) { return text.find(part); };
  CHECK(at("precision.use=fp32, input.batch_size=16") < at("precision.use=mixed, input.batch_size=16"));
  CHECK(at("precision.use=mixed, input.batch_size=16") < at("precision.use=fp32, input.batch_size=64"));
  CHECK(contains(text, "8000 (1.25x)"));
  CHECK(contains(text, "6400 (2.00x)"));
  CHECK(contains(text.substr(at("optimizer.use=sgd")), "6400 "));
  CHECK_FALSE(contains(text.substr(at("optimizer.use=sgd")), "x)"));
}

TEST_CASE("there is no ratio to or from a run that emulates a format") {
  ComparedRun fp32 = run_of("fp32", 10), mixed = run_of("mixed", 5);
  mixed.summary.native = false;
  const std::string from = comparison({fp32, mixed}, "", wide);
  CHECK_FALSE(contains(from, "x)"));
  CHECK(contains(from, "precision.use=mixed [emulated]"));
  CHECK(contains(from, "emulated: shows numerics, never speed\n"));
  CHECK_FALSE(contains(comparison({fp32, mixed}, "mixed", wide), "x)"));
}

TEST_CASE("seeds of one setting are one row, with mean and spread") {
  std::vector<ComparedRun> runs{run_of("fp32", 10, "", 2), run_of("fp32", 12, "", 3),
                                run_of("mixed", 5, "", 2), run_of("mixed", 6, "", 3)};
  runs[1].summary.operations[0].loss = 1.7;
  const std::string text = comparison(runs, "", wide);
  CHECK(contains(text, "TRIAL                SEEDS"));
  CHECK(contains(text, "\nprecision.use=fp32   2 "));
  CHECK(contains(text, "11.00 ±1.41"));
  CHECK(contains(text, "9.90-13.20"));
  CHECK(contains(text, "5867 ±754 "));  // of 6400 and 5333
  CHECK(contains(text, "11733 ±1508 (2.00x)"));
  CHECK(contains(text, "1.600 ±0.14"));
  CHECK(contains(text, "±: means of several seeds, and their standard deviation\n"));
  runs[1].summary.status = "interrupted";  // is not one of those that came to their end
  CHECK(contains(comparison(runs, "", wide), "precision.use=fp32, experiment.seed=3"));
}

TEST_CASE("runs with other training operations have their figures under the right names") {
  ComparedRun critic = run_of("fp32", 10, "architecture.use=wgan");
  critic.summary.operations = {{"critic", 77, 1, 0}, {"g", 0.25, 1, 0}};
  const std::string text = comparison({run_of("fp32", 10), critic}, "", wide);
  CHECK(contains(text, "LOSS d  LOSS g  LOSS q  LOSS critic  SKIPPED"));
  CHECK(contains(text, "1.500   0.5000  2.000   -            0"));
  CHECK(contains(text, "-       0.2500  -       77.00        0"));
  CHECK(contains(comparison({critic, run_of("fp32", 10)}, "", 80), "hidden: ITERATIONS, LOSS critic"));
}

TEST_CASE("a baseline must name one trial among those that differ in precision alone") {
  std::vector<Experiment> trials(3);
  const char* policies[] = {"fp32", "mixed", "mixed"};
  for (std::size_t i = 0; i < 3; ++i) {
    trials[i].precision.use = policies[i];
    trials[i].label = "precision.half=" + std::to_string(i);
    trials[i].origins = {{"precision.half", std::to_string(i), "", {}}, {"input.batch_size", "8", "", {}}};
  }
  const auto refused = [&](const std::string& wanted) {
    try {
      check_baseline(trials, wanted);
    } catch (const Error& error) {
      return error.details().what;
    }
    return std::string();
  };
  CHECK(refused("").empty());
  CHECK(refused("fp32").empty());
  CHECK(refused("precision.half=2").empty());
  CHECK(refused("tf32") == "no trial is called this");
  CHECK(refused("mixed") == "several trials that differ in precision alone are called this");
  trials[2].origins[1].value = "16";
  CHECK(refused("mixed").empty());
}

TEST_CASE("a comparison fits 80 columns, keeps what answers the question, and says what it hid") {
  ComparedRun slow = run_of("fp32", 10, "input.batch_size=16"),
              fast = run_of("mixed", 5, "input.batch_size=16");
  fast.summary.native = false;
  const std::string text = comparison({slow, fast}, "", 80);
  CHECK(longest_line(text) <= 82);  // "…" is three bytes
  for (const char* part : {"MS/ITERATION", "IMAGES/S", "PEAK MIB", "emulated: shows numerics",
                           "hidden: ITERATIONS, LOSS d, LOSS g, LOSS q, STATUS; COLUMNS=200 shows more\n"})
    CHECK_MESSAGE(contains(text, part), part);
  CHECK_FALSE(contains(comparison({slow, fast}, "", wide), "hidden"));
  const std::string narrow = comparison({slow, fast}, "", 50);
  CHECK(longest_line(narrow) <= 52);
  CHECK(contains(narrow, "n.use=fp32, "));
  CHECK(contains(narrow, "n.use=mixed, "));
  fast.summary.status = "interrupted";
  CHECK(contains(comparison({slow, fast}, "", 80), "interrupted"));
}

TEST_CASE("a run that others slowed says so, also in 80 columns, and for all seeds of its setting") {
  ComparedRun quiet = run_of("fp32", 1000), slow = run_of("mixed", 1000);
  quiet.summary.disturbance = {1.9, 40, 0.01};
  CHECK_FALSE(contains(comparison({quiet, slow}, "", wide), "disturbed"));
  slow.summary.disturbance = {7.2, 9000, 0.48};
  const std::string text = comparison({quiet, slow}, "", 80);
  CHECK(contains(text, "done [disturbed]\n"));
  CHECK(contains(text, "disturbed: precision.use=mixed, its threads waited 48 % of their time"));
  ComparedRun other = run_of("mixed", 1000, "", 2);
  other.summary.disturbance = {};  // unknown
  CHECK(contains(comparison({quiet, other, slow}, "", wide), "done [disturbed]\n"));
  CHECK_FALSE(contains(comparison({quiet, other}, "", wide), "disturbed"));
}

TEST_CASE("times that scatter or are few are called noisy") {
  ComparedRun few = run_of("few", 10), wild = run_of("wild", 10);
  few.summary.timed_iterations = 1;
  wild.summary.ms_per_iteration.p90 = 52;
  const std::string text = comparison({few, wild}, "", wide);
  CHECK(contains(text, "noisy: precision.use=few has only 1 timed iteration\n"));
  CHECK(
      contains(text, "noisy: precision.use=wild, one iteration in ten takes 5.2 times the median or more\n"));
}

TEST_CASE("skipped updates are a count and a share, and a run that hardly learnt says so aloud") {
  ComparedRun compared = run_of("mixed", 10);
  Summary& run = compared.summary;
  run.operations[0].skipped = 30;
  CHECK(contains(comparison({compared}, "", wide), "30 (1%)"));
  CHECK_FALSE(contains(comparison({compared}, "", wide), "WARNING"));
  run.operations[1].skipped = 501;
  run.operations[1].loss = -std::numeric_limits<double>::quiet_NaN();
  const std::string text = comparison({compared}, "", wide);
  CHECK(contains(text, "WARNING: precision.use=mixed: 501 of 1000 updates of g were SKIPPED (50.1%)"));
  CHECK_FALSE(contains(text, "-nan"));
  for (OperationMetrics& operation : run.operations) operation.skipped = run.iterations;
  CHECK(contains(comparison({compared}, "", wide), "3000 (100%)"));
}
