// SPDX-License-Identifier: Apache-2.0
// What a report says of runs whose figures are known.
#include <doctest/doctest.h>

#include <array>

#include "measure/price.hpp"
#include "report/answer.hpp"
#include "report/report_figures.hpp"
#include "report/speed_ratio.hpp"
#include "report/tables.hpp"
#include "report_record.hpp"

using namespace halfling;
using namespace halfling::test;

namespace {

constexpr std::optional<Price> no_price;

/// The answer's sentence, then its further lines.
std::string answer(std::vector<RunRecord> runs, const std::optional<Price>& price = no_price) {
  const Report report(std::move(runs), price);
  const Answer answer = answer_of(report);
  std::string text = answer.sentence + "\n";
  for (const auto* lines : {&answer.others, &answer.notes})
    for (const std::string& line : *lines) text += line + "\n";
  return text;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("the interval of one run each is how far their iterations scatter") {
  const std::array pairs{TimedPair{{100, 90, 120}, {50, 45, 60}}};
  const SpeedRatio ratio = speed_ratio(pairs);
  CHECK(ratio.value == 2);
  CHECK(ratio.low == 1.5);  // 90 / 60
  CHECK(ratio.high == doctest::Approx(120. / 45));
  CHECK(ratio.seeds == 1);
  CHECK(ratio.measurable());
}

TEST_CASE("the interval of several seeds is Student's t over the logarithms of their ratios") {
  // Ratios 1.5, 1.6, 1.7; t of two degrees of freedom at 97.5 % is 4.30265.
  const std::array pairs{TimedPair{{150, 0, 0}, {100, 0, 0}}, TimedPair{{160, 0, 0}, {100, 0, 0}},
                         TimedPair{{170, 0, 0}, {100, 0, 0}}};
  const SpeedRatio ratio = speed_ratio(pairs);
  CHECK(ratio.value == doctest::Approx(1.597914).epsilon(1e-5));
  CHECK(ratio.low == doctest::Approx(1.367812).epsilon(1e-5));
  CHECK(ratio.high == doctest::Approx(1.866725).epsilon(1e-5));
  CHECK(ratio.seeds == 3);
  const std::array slower{TimedPair{{100, 0, 0}, {200, 0, 0}}, TimedPair{{100, 0, 0}, {202, 0, 0}}};
  CHECK(speed_ratio(slower).high < 1);
  CHECK(speed_ratio(slower).measurable());
}

TEST_CASE("runs that took turns have a ratio for each block, counted from the last") {
  // Ratios 1.5, 1.6, 1.7 again; the baseline's first block has none beside it.
  const std::array pair{TimedPair{{{155, 0, 0}, {999, 150, 160, 170}}, {{100, 0, 0}, {100, 100, 100}}}};
  const SpeedRatio ratio = speed_ratio(pair);
  CHECK(ratio.value == doctest::Approx(1.597914).epsilon(1e-5));
  CHECK(ratio.low == doctest::Approx(1.367812).epsilon(1e-5));
  CHECK(ratio.seeds == 1);
  CHECK(ratio.ratios == 3);
  std::vector<RunRecord> runs{record("fp32", 64, 155), record("mixed", 64, 100)};
  runs[0].summary.block_ms = {150, 160, 170};
  runs[1].summary.block_ms = {100, 100, 100};
  const std::string text = answer(runs);
  CHECK(text.starts_with("mixed (bf16) trains this acgan 1.60 times as fast as fp32 [1.37, 1.87], in 4 %"));
  CHECK(contains(text, "over 3 blocks, in which the runs took turns (Student's t over the logarithms"));
  CHECK(!contains(text, "single iterations scatter"));
}

TEST_CASE("the time of an iteration is told by kind of work, and where another precision loses") {
  std::vector<RunRecord> runs{record("fp32", 64, 160), record("mixed", 64, 100), record("mixed", 64, 102, 2)};
  runs[0].summary.profile = {10,
                             165,
                             {{"d.conv1", "contraction", 10},
                              {"d.conv2", "contraction", 120},
                              {"d.conv1", "pointwise", 20},
                              {"", "update", 10}}};
  runs[1].summary.profile = {10,
                             110,
                             {{"input", "cast", 4},
                              {"d.conv1", "contraction", 15},
                              {"d.conv2", "contraction", 50},
                              {"d.conv1", "pointwise", 18},
                              {"", "update", 10}}};
  runs[2].summary.profile = runs[1].summary.profile;
  runs[2].summary.profile->times[0].ms = 6;
  const Report report(runs, no_price);
  CHECK(work_table(report) ==
        TableRows{
            {"setting, ms an iteration", "contraction", "pointwise", "cast", "update", "all, step by step"},
            {"fp32", "130 (79 %)", "20.0 (12 %)", "0.00 (0 %)", "10.0 (6 %)", "165"},
            {"mixed (bf16)", "65.0 (59 %)", "18.0 (16 %)", "5.00 (5 %)", "10.0 (9 %)", "110"}});
  CHECK(
      work_text(report.comparisons.front()) ==
      "mixed (bf16), against fp32, of an iteration: contraction saves 65.0 ms, pointwise saves 2.00 ms, cast "
      "costs 5.00 ms. Contractions that take longer: d.conv1 (15.0 ms, in fp32 10.0).");
  CHECK(layer_table(report.comparisons.front()) ==
        TableRows{{"layer", "work", "fp32, ms", "mixed (bf16), ms", "times as fast"},
                  {"d.conv1", "contraction", "10.0", "15.0", "0.67"},
                  {"d.conv2", "contraction", "120", "50.0", "2.40"},
                  {"d.conv1", "pointwise", "20.0", "18.0", "1.11"},
                  {"-", "update", "10.0", "10.0", "1.00"},
                  {"input", "cast", "0.00", "5.00", "-"}});
  CHECK(work_table(Report({record("fp32", 64, 160)}, no_price)).empty());
}

TEST_CASE("the answer is one sentence") {
  const std::string faster = answer({record("fp32", 64, 162), record("mixed", 64, 100)});
  CHECK(faster.starts_with(
      "mixed (bf16) trains this acgan 1.62 times as fast as fp32 [1.33, 1.98], in 4 % more "
      "memory.\n"));
  CHECK(contains(faster, "with one run each, how far single iterations scatter"));
  const std::string slower = answer({record("fp32", 64, 100), record("mixed", 64, 200)});
  CHECK(
      slower.starts_with("mixed (bf16) trains this acgan 0.50 times as fast as fp32 [0.41, 0.61], which is "
                         "slower, in 4 % more"));
  const std::string same = answer({record("fp32", 64, 104), record("mixed", 64, 100)});
  CHECK(same.starts_with(
      "No measurable difference in speed: mixed (bf16) trains this acgan 1.04 times as fast as "
      "fp32 [0.85, 1.27], in 4 % more memory.\n"));
  CHECK(!contains(faster, "cost"));  // nobody named a price
}

TEST_CASE("runs of several seeds are paired by seed") {
  const std::string text =
      answer({record("mixed", 64, 100, 1), record("fp32", 64, 320, 2), record("fp32", 64, 150, 1),
              record("mixed", 64, 200, 2), record("fp32", 64, 170, 3), record("mixed", 64, 100, 3)});
  CHECK(text.starts_with("mixed (bf16) trains this acgan 1.60 times as fast as fp32 [1.37, 1.87], in 4 %"));
  CHECK(contains(text, "95 % confidence interval of the mean ratio over 3 seeds"));
  CHECK(!contains(text, "single iterations"));
}

TEST_CASE("a sweep over batch sizes says from where on it pays, and what is saved there") {
  std::vector<RunRecord> runs;
  const std::pair<int, double> sizes[] = {{16, 0.7}, {32, 1.5}, {64, 2}};
  for (const auto& [size, ratio] : sizes) {
    runs.push_back(record("mixed", size, 100 / ratio));
    runs.push_back(record("fp32", size, 100));
  }
  const Price price{0.36, "USD", "gcp-x", "a device", "", "2025"};
  const std::string text = answer(runs, price);
  CHECK(text.starts_with(
      "mixed (bf16) trains this acgan 2.00 times as fast as fp32 [1.64, 2.44], in 4 % more memory, "
      "in batches of 64, the largest of 3 sizes.\n"));
  CHECK(contains(text, "mixed (bf16) pays in batches of 32 and more (measured: 16, 32, 64)."));
  // 1e6 batches of 100 ms are 27.8 hours.
  CHECK(contains(
      text,
      "At 0.36 USD/h (gcp-x, 2025), a million batches of 64 cost 10.00 USD in fp32 and 5.00 in mixed "
      "(bf16): 50 % less."));

  const Report report(runs, price);
  const std::vector<Figure> figures = batch_figures(report);
  REQUIRE(figures.size() == 4);
  CHECK(figures[0].name == "time-by-batch");
  CHECK(contains(figures[0].table, "# fp32\n16\t100\t90\t110\n32\t100"));
  CHECK(contains(figures[1].table, "# mixed (bf16)\n16\t8928.57\t"));  // ms of 1000 samples
  CHECK(contains(figures[2].table, "# mixed (bf16)\n16\t0.7\t0.572727\t0.855556\n"));
  CHECK(contains(figures[3].table, "# fp32\n16\t10\t9\t11\n"));
  CHECK(contains(figures[3].script, "USD for a million batches"));
  CHECK(batch_figures(Report(runs, no_price)).size() == 3);
  CHECK(batch_figures(Report({runs[0], runs[1]}, no_price)).empty());  // one size is no sweep

  runs[4].summary.ms_per_iteration = {100, 90, 110};
  CHECK(contains(answer(runs),
                 "mixed (bf16) pays at some batch sizes, but not at the largest (measured: 16, 32, 64)."));
}

TEST_CASE("emulated runs have no speed") {
  const std::string text = answer({record("fp32", 64, 100), emulated(record("mixed", 64, 10))});
  CHECK(text.starts_with("No ratio can be told"));
  CHECK(contains(text, "Emulated, which shows numerics and never speed: mixed (fp16) [emulated]."));
  CHECK(!contains(text, "times as fast"));
  CHECK(answer({emulated(record("mixed", 64, 10)), emulated(record("mixed", 32, 10))})
            .starts_with("All of these runs emulate their half format: they show numerics, never speed."));
  const std::string single = answer({emulated(record("mixed", 64, 10))});
  CHECK(contains(single, "f16 was emulated, which shows numerics and never speed"));
  CHECK(!contains(single, "ms"));
}

TEST_CASE("a single run says what it did, however it ended") {
  CHECK(
      answer({record("fp32", 64, 100)}) ==
      "fp32 trained this acgan for 1000 iterations of 64 images at 100 ms [90, 110] each (p10 and p90), 640 "
      "images/s, in 100 MiB.\n");
  const auto ended = [](const char* status) {
    RunRecord run = record("fp32", 64, 100);
    run.summary.status = status;
    run.summary.error = "the loss is not finite";
    return answer({run});
  };
  CHECK(contains(ended("failed"), ", and then failed: the loss is not finite."));
  CHECK(contains(ended("killed"), ", and then ended without a summary"));
  CHECK(contains(ended("interrupted"), ", and was then interrupted."));
  CHECK(ended("running").starts_with("fp32 is training this acgan, so far for 1000 iterations"));
}

TEST_CASE("a run that failed is in no ratio, and its reason is told") {
  RunRecord failed = record("mixed", 64, 50);
  failed.summary.status = "failed";
  failed.summary.error = "the loss is not finite";
  const Report report({record("fp32", 64, 100), failed}, no_price);
  CHECK(report.comparisons.empty());
  const TableRows rows = unfinished_table(report);
  REQUIRE(rows.size() == 2);
  CHECK(rows[1][0] == "mixed (bf16)");
  CHECK(rows[1][3] == "the loss is not finite");
}

TEST_CASE("what makes times worth less is said") {
  RunRecord noisy = record("fp32", 64, 100), few = record("mixed", 64, 100);
  noisy.summary.ms_per_iteration.p90 = 310;
  noisy.summary.disturbance.processor_wait_share = 0.31;
  few.summary.timed_iterations = 1;
  const std::string text = answer({noisy, few});
  CHECK(contains(text, "Noisy times: fp32 (p90 is 3.1 medians); mixed (bf16) (1 timed iteration)."));
  CHECK(contains(text, "Disturbed: fp32 (31 %)"));
}

TEST_CASE("settings are named by what tells them apart") {
  RunRecord a = record("mixed", 64, 100), b = a, c = record("mixed", 32, 100);
  a.values.emplace_back("loss_scaler.use", "\"static\"");
  b.values.emplace_back("loss_scaler.use", "\"static\"");
  c.values.emplace_back("loss_scaler.use", "\"dynamic\"");
  a.values.emplace_back("loss_scaler.scale", "1.0");
  b.values.emplace_back("loss_scaler.scale", "128.0");
  b.values.emplace_back("sample.rows", "3");  // decides nothing that is learnt
  const Report report({a, b, c}, no_price);
  REQUIRE(report.settings.size() == 3);
  CHECK(report.names[0] == "mixed (bf16), batch 64, loss_scaler=static, scale=1.0");
  CHECK(report.names[1] == "mixed (bf16), batch 64, loss_scaler=static, scale=128.0");
  CHECK(report.names[2] == "mixed (bf16), batch 32, loss_scaler=dynamic");
  const Report seeds({record("fp32", 64, 100, 10), record("fp32", 64, 100, 1)}, no_price);
  CHECK(seeds.settings.size() == 1);
  CHECK(seeds.names == std::vector<std::string>{"fp32, seed 10", "fp32, seed 1"});
}

TEST_CASE("runs on different devices are not compared") {
  RunRecord other = record("mixed", 64, 50);
  other.summary.device = "another";
  CHECK(Report({record("fp32", 64, 100), other}, no_price).comparisons.empty());
  CHECK(Report({record("fp32", 64, 100), record("mixed", 64, 50)}, no_price).comparisons.size() == 1);
}

TEST_CASE("costs appear where runs have a price, and amounts of two currencies are not compared") {
  RunRecord dollars = record("fp32", 64, 100), euros = record("mixed", 64, 50);
  dollars.summary.price = parse_price("0.36 USD/h");
  euros.summary.price = parse_price("0.36 EUR/h");
  const Report report({dollars, euros}, no_price);
  const TableRows rows = factors_table(report);
  const auto column = std::ranges::find(rows[0], "cost for 1 M batches") - rows[0].begin();
  REQUIRE(column < static_cast<std::ptrdiff_t>(rows[0].size()));
  CHECK(rows[1][static_cast<std::size_t>(column)] == "10.00 USD");
  CHECK(rows[2][static_cast<std::size_t>(column)] == "5.00 EUR");
  CHECK(!contains(answer({dollars, euros}), "less"));
}

namespace {

RunRecord drawn(const std::string& precision, int seed, double distance,
                const char* extractor = "classifier a") {
  RunRecord run = record(precision, 64, precision == "fp32" ? 150 : 100, seed);
  Quality quality;
  quality.extractor = extractor;
  quality.samples = 1000;
  quality.generated.frechet_distance = distance;
  quality.generated.precision = 0.5;
  quality.real.frechet_distance = 1.5;
  quality.real.precision = 0.9;
  run.summary.quality = quality;
  return run;
}

}  // namespace

TEST_CASE("quality is compared by seed, and a difference within noise is called none") {
  // Differences 0.5, -0.5, 0.3: mean 0.1, deviation 0.529150, t of two degrees 4.30265: reach 1.314475.
  const std::string same =
      answer({drawn("fp32", 1, 10), drawn("fp32", 2, 12), drawn("fp32", 3, 11), drawn("mixed", 1, 10.5),
              drawn("mixed", 2, 11.5), drawn("mixed", 3, 11.3)});
  CHECK(contains(same, "memory, with no measurable difference in image quality over 3 seeds.\n"));
  CHECK(contains(
      same,
      "Image quality: Fréchet distance 11.1 of mixed (bf16), 11 of fp32, a difference of +0.1 [-1.21, "
      "+1.41], with 95 % confidence over 3 seeds"));
  const std::string worse =
      answer({drawn("fp32", 1, 10), drawn("fp32", 2, 12), drawn("mixed", 1, 15), drawn("mixed", 2, 17.1)});
  CHECK(contains(worse, ", with worse images (Fréchet distance 16.1 instead of 11, 2 seeds).\n"));
  const std::string single = answer({drawn("fp32", 1, 10), drawn("mixed", 1, 15)});
  CHECK(contains(single, "memory.\n"));
  CHECK(contains(single, "Image quality, of one seed: Fréchet distance 15 of mixed (bf16), 10 of fp32;"));
}

TEST_CASE("the table of quality ends with real images, and extractors are not mixed") {
  const Report report({drawn("fp32", 1, 10), drawn("fp32", 2, 12), drawn("mixed", 1, 15)}, no_price);
  const TableRows rows = quality_table(report);
  REQUIRE(rows.size() == 4);
  CHECK(rows[1][1] == "11.00 ±1.41");
  CHECK(rows[2][1] == "15.00");
  CHECK(rows[2][2] == "-");  // nothing measured it
  CHECK(rows[3][0] == "real, held out");
  CHECK(rows[3][1] == "1.50");
  CHECK(rows[3].back() == "1000");
  CHECK(quality_table(Report({record("fp32", 64, 100)}, no_price)).empty());
  const Report two({drawn("fp32", 1, 10), drawn("mixed", 1, 15, "classifier b")}, no_price);
  CHECK(quality_table(two).size() == 5);
  REQUIRE(two.comparisons.size() == 1);
  CHECK_FALSE(two.comparisons[0].quality);
}
