// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "experiment/units.hpp"

using namespace halfling;
using namespace halfling::config;

TEST_CASE("durations are read") {
  CHECK(parse_duration("7min") == 420);
  CHECK(parse_duration("7m") == 420);
  CHECK(parse_duration("1h20m") == 4800);
  CHECK(parse_duration("1h 20min 5s") == 4805);
  CHECK(parse_duration("1.5h") == 5400);
  CHECK(parse_duration("250ms") == 0.25);
  CHECK(parse_duration("1s 500ms") == 1.5);
  CHECK(parse_duration("30 s") == 30);
  for (const char* bad : {"", "7", "min", "7 minutes", "-7s", "20m1h", "1s1s", "1m1min", "7min ", " 7min",
                          "1e3s", "infs", "nans", "7min,", "0x7s"})
    CHECK_FALSE_MESSAGE(parse_duration(bad), bad);
}

TEST_CASE("durations are written so that they read as the same number") {
  CHECK(format_duration(0) == "0s");
  CHECK(format_duration(420) == "7min");
  CHECK(format_duration(4800) == "1h20min");
  CHECK(format_duration(90) == "1min30s");
  CHECK(format_duration(0.25) == "250ms");
  for (const double seconds :
       {0.0, 0.001, 0.1, 1.0 / 3, 59.999, 3661.0, 1e6 + 0.1, 1e11, 1e-9, 123456.789, 1e20, 5e-324})
    CHECK(parse_duration(format_duration(seconds)) == seconds);
}

TEST_CASE("sizes are read and written") {
  CHECK(parse_size("512MiB") == 536870912);
  CHECK(parse_size("1.5KiB") == 1536);
  CHECK(parse_size("64kB") == 64000);
  CHECK(parse_size("3 GB") == 3000000000);
  for (const char* bad : {"", "512", "512mb", "1.3B", "-1B", "1MiB2KiB", "1e3B", "99999999999TiB", "MiB"})
    CHECK_FALSE_MESSAGE(parse_size(bad), bad);
  for (const std::int64_t bytes : {std::int64_t{0}, std::int64_t{1}, std::int64_t{1000}, std::int64_t{1536},
                                   std::int64_t{1} << 40, std::int64_t{123456789}})
    CHECK(parse_size(format_size(bytes)) == bytes);
  CHECK(format_size(std::int64_t{1} << 30) == "1GiB");
}

TEST_CASE("intervals are times or iterations") {
  CHECK(parse_interval("500it") == Interval{0, 500});
  CHECK(parse_interval("30s") == Interval{30, 0});
  CHECK(format_interval({0, 500}) == "500it");
  CHECK(format_interval({90, 0}) == "1min30s");
  for (const char* bad : {"0it", "0s", "-5it", "it", "5 it", "1.5it", "5", "+5it", "99999999999999999999it"})
    CHECK_FALSE_MESSAGE(parse_interval(bad), bad);
}

TEST_CASE("numbers are short, and always numbers with a point or an exponent") {
  CHECK(format_number(2e-4) == "0.0002");
  CHECK(format_number(1) == "1.0");
  CHECK(format_number(-3) == "-3.0");
  CHECK(format_number(1e-8) == "1e-08");
  CHECK(format_number(65536) == "65536.0");
}
