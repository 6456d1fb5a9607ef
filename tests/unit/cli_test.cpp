// SPDX-License-Identifier: Apache-2.0
// The tables that commands print.
#include <doctest/doctest.h>

#include <limits>
#include <sstream>

#include "cli/comparison.hpp"
#include "cli/table.hpp"

using namespace halfling;
using namespace halfling::cli;

namespace {

using How = Narrowing::How;

Summary run_of(const std::string& label, double images_per_s) {
  Summary run;
  run.status = "done";
  run.label = label;
  run.iterations = 1000;
  run.timed_iterations = 997;
  run.ms_per_iteration = {10, 9, 12};
  run.images_per_s = images_per_s;
  run.peak_bytes = std::uint64_t{400} << 20;
  run.operations = {{"d", 1.5, 32768, 0}, {"g", 0.5, 32768, 0}, {"q", 2, 32768, 0}};
  return run;
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
        "                   line\n");
}

TEST_CASE("images a second are what was measured, with the ratio; milliseconds have their range") {
  const std::string text = comparison({run_of("fp32", 1000), run_of("mixed", 1500)}, wide);
  CHECK(contains(text, "1500 (1.50x)"));
  CHECK(contains(text, "10.00         9.00-12.00"));
  CHECK_FALSE(contains(text, "10.00 ("));
  CHECK_FALSE(contains(text, "noisy"));
  CHECK_FALSE(contains(text, "WARNING"));
}

TEST_CASE("a comparison fits 80 columns and keeps what answers the question") {
  Summary slow = run_of("precision.use=fp32 input.batch_size=16", 1000);
  Summary fast = run_of("precision.use=mixed input.batch_size=16", 1500);
  fast.native = false;
  const std::string text = comparison({slow, fast}, 80);
  CHECK(longest_line(text) <= 82);  // "…" is three bytes
  for (const char* part : {"MS/ITERATION", "IMAGES/S", "PEAK MIB", "emulated: shows numerics"})
    CHECK_MESSAGE(contains(text, part), part);
  fast.status = "interrupted";
  CHECK(contains(comparison({slow, fast}, 80), "interrupted"));
}

TEST_CASE("times that scatter or are few are called noisy") {
  Summary few = run_of("few", 10), wild = run_of("wild", 10);
  few.timed_iterations = 1;
  wild.ms_per_iteration.p90 = 52;
  const std::string text = comparison({few, wild}, wide);
  CHECK(contains(text, "noisy: few has only 1 timed iteration\n"));
  CHECK(contains(text, "noisy: wild, one iteration in ten takes 5.2 times the median or more\n"));
}

TEST_CASE("skipped updates are a count and a share, and a run that hardly learnt says so aloud") {
  Summary run = run_of("mixed", 10);
  run.operations[0].skipped = 30;
  CHECK(contains(comparison({run}, wide), "30 (1%)"));
  CHECK_FALSE(contains(comparison({run}, wide), "WARNING"));
  run.operations[1].skipped = 501;
  run.operations[1].loss = -std::numeric_limits<double>::quiet_NaN();
  const std::string text = comparison({run}, wide);
  CHECK(contains(text, "WARNING: mixed: 501 of 1000 updates of g were SKIPPED (50.1%)"));
  CHECK_FALSE(contains(text, "-nan"));
  for (OperationFigures& operation : run.operations) operation.skipped = run.iterations;
  CHECK(contains(comparison({run}, wide), "3000 (100%)"));
}
