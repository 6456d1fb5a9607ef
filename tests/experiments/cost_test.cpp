// SPDX-License-Identifier: Apache-2.0
// [cost], in whole runs.
#include <doctest/doctest.h>

#include <fstream>

#include "program.hpp"

using namespace halfling;
using namespace halfling::test;
namespace fs = std::filesystem;

TEST_CASE("a run with a price says what it costs, one that only shows numerics never does") {
  const Bench bench;
  std::ofstream(bench.scratch() / "prices.toml")
      << "[mine]\nper_hour = \"1.8 EUR/h\"\nsource = \"a bill\"\ndate = \"2026\"\n";
  const Outcome outcome =
      bench.run({"--quiet", "--set", "sweep.matrix={\"precision.use\" = [\"fp32\", \"mixed\"]}", "--set",
                 "cost.price=mine", "--set", "cost.prices=" + (bench.scratch() / "prices.toml").string()});
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  CHECK(contains(outcome.out, "COST/1M: of a million iterations, at 1.8 EUR/h (mine, 2026)"));
  for (const fs::path& run : bench.folders()) {
    const auto summary = read_json(run / "summary.json");
    const auto& cost = summary["cost"];
    if (summary["precision"] == "mixed") {
      CHECK(cost.is_null());
      continue;
    }
    const double hours = summary["ms_per_iteration"]["median"].get<double>() * 1e6 / 3.6e6;
    CHECK(cost["per_million_batches"].get<double>() == doctest::Approx(1.8 * hours));
    CHECK(cost["per_million_samples"].get<double>() ==
          doctest::Approx(1.8 * hours / summary["samples_per_iteration"].get<double>()));
    CHECK(cost["price"] == 1.8);
    CHECK(cost["currency"] == "EUR");
    CHECK(cost["source"] == "a bill");
  }
}

TEST_CASE("a price that nobody knows is refused before anything trains, with its place") {
  const Bench bench;
  const Outcome outcome = bench.run({"--set", "cost.price=gcp-t5"});
  CHECK(outcome.status == 2);
  CHECK(contains(outcome.err, "--set"));
  CHECK(contains(outcome.err, "did you mean \"gcp-t4\"?"));
  CHECK(bench.folders().empty());
}
