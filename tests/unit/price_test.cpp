// SPDX-License-Identifier: Apache-2.0
#include "measure/price.hpp"

#include <doctest/doctest.h>

#include "halfling/error.hpp"
#include "scratch.hpp"

using namespace halfling;
using namespace halfling::test;

TEST_CASE("a price is an amount, a currency and an hour") {
  const auto price = parse_price("0.35 USD/h");
  REQUIRE(price);
  CHECK(price->per_hour == 0.35);
  CHECK(price->currency == "USD");
  CHECK(price_text(*price) == "0.35 USD/h");
  CHECK(price_text(*parse_price("12EUR/h")) == "12 EUR/h");
  for (const char* text : {"", "USD/h", "0.35", "0.35 USD", "0.35 usd/h", "0 USD/h", "-1 USD/h", "nan USD/h",
                           "inf USD/h", "0.35 USD/min", "0.35 USD/hour", "1 DOLLAR/h", "$0.35/h"})
    CHECK_MESSAGE(!parse_price(text), text);
}

TEST_CASE("what training costs follows from its time, as the article reckons") {
  // 700 ms a batch for a million batches are 194.4 hours; the article's 178 USD make 0.92 USD an hour.
  CHECK(parse_price("0.92 USD/h")->of(700, 1e6) == doctest::Approx(178.9).epsilon(1e-3));
  CHECK(parse_price("0.35 USD/h")->of(410, 1e6) == doctest::Approx(39.86).epsilon(1e-3));
}

TEST_CASE("every shipped price says what it is of, who asked for it and when") {
  const std::vector<Price> prices = shipped_price_list();
  CHECK(prices.size() >= 10);
  for (const Price& price : prices) {
    CAPTURE(price.name);
    CHECK(!price.what.empty());
    CHECK(!price.source.empty());
    CHECK(price.date.size() >= 4);
  }
  CHECK(find_price("gcp-t4", {}).per_hour == 0.35);
}

TEST_CASE("a list of one's own comes before the shipped one, and its faults are told by file and line") {
  const Scratch scratch;
  const auto file = scratch / "prices.toml";
  const auto write = [&](const char* text) { write_file(file, text); };
  write("[mine]\nper_hour = \"1.5 EUR/h\"\n[gcp-t4]\nper_hour = \"9 USD/h\"\n");
  CHECK(find_price("mine", file).currency == "EUR");
  CHECK(find_price("gcp-t4", file).per_hour == 9);
  CHECK(find_price("gcp-l4", file).per_hour == 0.76);

  const auto fault = [&](const char* text) {
    write(text);
    return error_of([&] { find_price("mine", file); });
  };
  CHECK(fault("[mine]\nper_hour = 1.5\n").where == file.string() + ":2:12");
  CHECK(fault("[mine]\nper_hour = \"1.5\"\n").got == "mine.per_hour = \"1.5\"");
  CHECK(fault("[mine]\nper_day = \"1.5 EUR/h\"\n").got == "per_day");
  CHECK(fault("[mine\n").what == "a price list is no TOML");
  CHECK(fault("mine = 1\n").got == "mine");
  std::string deep = "a = {";
  for (int i = 0; i < 20000; ++i) deep += "a.";
  CHECK(fault((deep + "a = 1}\n").c_str()).what == "a price list is nested too deep");
  CHECK(error_of([&] { find_price("mine", scratch / "none.toml"); }).where == "cost.prices");
  CHECK(error_of([&] { find_price("gcp-t5", {}); }).hint == "did you mean \"gcp-t4\"?");
}
