// SPDX-License-Identifier: Apache-2.0
#include "run/observation.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "scratch.hpp"

using namespace halfling;
using namespace halfling::test;

namespace {

void count(ExponentHistogram& histogram, int exponent, std::int64_t elements) {
  histogram.counts[static_cast<std::size_t>(1 + exponent - least_exponent)] += elements;
}

}  // namespace

TEST_CASE("shares follow the limits of the half formats") {
  ExponentHistogram histogram;
  CHECK(histogram.shares(DType::f16).zero == 0);
  histogram.counts.front() = 5;
  histogram.counts.back() = 1;
  count(histogram, -149, 1);
  count(histogram, -26, 2);  // rounds to zero in f16
  count(histogram, -25, 3);  // rounds up to 2^-24
  count(histogram, -15, 4);
  count(histogram, -14, 10);
  count(histogram, 15, 10);
  count(histogram, 16, 4);
  CHECK(histogram.elements() == 40);
  const HalfShares f16 = histogram.shares(DType::f16);
  CHECK(f16.zero == doctest::Approx(5 / 40.0));
  CHECK(f16.underflow == doctest::Approx(3 / 40.0));
  CHECK(f16.subnormal == doctest::Approx(7 / 40.0));
  CHECK(f16.overflow == doctest::Approx(4 / 40.0));
  CHECK(f16.nonfinite == doctest::Approx(1 / 40.0));
  const HalfShares bf16 = histogram.shares(DType::bf16);
  CHECK(bf16.underflow == doctest::Approx(1 / 40.0));
  CHECK(bf16.subnormal == 0);
  CHECK(bf16.overflow == 0);
}

TEST_CASE("the shares of a bin are those of f16's rounding") {
  for (int e = -40; e <= 20; ++e) {
    ExponentHistogram histogram;
    count(histogram, e, 1);
    const HalfShares shares = histogram.shares(DType::f16);
    const double rounded = round_to(DType::f16, std::ldexp(1.25, e));
    CHECK(shares.underflow == (rounded == 0));
    CHECK(shares.overflow == std::isinf(rounded));
    CHECK(shares.subnormal == (rounded > 0 && std::ldexp(1.25, e) < 0x1p-14));
  }
}

TEST_CASE("an observation survives its line, and a torn line is passed over") {
  const Scratch scratch;
  Observation o{7, "gradient", "g", "g.fc1.weight", DType::bf16, DType::bf16, 65536, {}, 4};
  o.exact.counts.front() = 3;
  o.exact.counts.back() = 2;
  count(o.exact, -133, 1);
  count(o.exact, 4, 1000003);
  write_file(scratch / "monitor.jsonl", line_of(o) + line_of(o).substr(0, 40));
  const auto read = read_observations(scratch / "monitor.jsonl");
  REQUIRE(read.size() == 1);
  CHECK(read[0].iteration == 7);
  CHECK(read[0].kind == "gradient");
  CHECK(read[0].name() == "g: g.fc1.weight");
  CHECK(read[0].format == DType::bf16);
  CHECK(read[0].judged_in == DType::bf16);
  CHECK(read[0].loss_scale == 65536);
  CHECK(read[0].exact == o.exact);
  CHECK(read[0].stored_zeros == 4);
  CHECK(read_observations(scratch / "absent.jsonl").empty());
}
