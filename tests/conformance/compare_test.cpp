// SPDX-License-Identifier: Apache-2.0
// The comparator of the conformance suite must see what is wrong, and only that.
#include "compare.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "halfling/error.hpp"
#include "runner.hpp"

using namespace halfling;
using namespace halfling::conformance;

namespace {

const double infinity = std::numeric_limits<double>::infinity();
const double not_a_number = std::numeric_limits<double>::quiet_NaN();

HostValue values(std::vector<double> elements, DType dtype = DType::f32) {
  const auto count = static_cast<std::int64_t>(elements.size());
  return filled(dtype, {count}, list(std::move(elements)), "");
}

bool same(std::vector<double> got, std::vector<double> expected, Tolerance tolerance = {}) {
  return difference(values(std::move(got)), values(std::move(expected)), tolerance).empty();
}

}  // namespace

TEST_CASE("without a tolerance one step is a difference") {
  CHECK(same({1, -2, 0}, {1, -2, 0}));
  CHECK_FALSE(same({1 + 0x1p-23}, {1}));
  CHECK(same({-0.0}, {0.0}));
}

TEST_CASE("a tolerance covers what it says and no more") {
  CHECK(same({1 + 0x1p-22}, {1}, {.ulps = 2}));
  CHECK_FALSE(same({1 + 0x1.8p-22}, {1}, {.ulps = 2}));
  CHECK(same({1010}, {1000}, {.relative = 0.011}));
  CHECK_FALSE(same({1010}, {1000}, {.relative = 0.009}));
  CHECK(same({0.001}, {0}, {.absolute = 0.0011}));
  CHECK_FALSE(same({0.001}, {0}, {.absolute = 0.0009}));
}

TEST_CASE("NaN and infinity agree only with their like, whatever the tolerance") {
  const Tolerance wide{.ulps = 1e6, .relative = 1e6, .absolute = 1e6};
  CHECK(same({not_a_number, infinity, -infinity}, {not_a_number, infinity, -infinity}));
  CHECK_FALSE(same({not_a_number}, {0}, wide));
  CHECK_FALSE(same({0}, {not_a_number}, wide));
  CHECK_FALSE(same({infinity}, {1e38}, wide));
  CHECK_FALSE(same({1e38}, {infinity}, wide));
  CHECK_FALSE(same({-infinity}, {infinity}, wide));
  CHECK_FALSE(same({infinity}, {not_a_number}, wide));
}

TEST_CASE("of a contraction, what is not finite stays not finite") {
  const Tolerance contraction{.contraction = true};
  CHECK(same({not_a_number, infinity, -infinity}, {infinity, -infinity, not_a_number}, contraction));
  for (const double lost : {infinity, -infinity, not_a_number}) {
    CHECK_FALSE(same({1e38}, {lost}, contraction));
    CHECK_FALSE(same({0}, {lost}, contraction));
    CHECK_FALSE(same({not_a_number, 0}, {1, lost}, contraction));
  }
}

TEST_CASE(
    "of a contraction, NaN may stand for a finite result beside one that is not, and nothing else may") {
  const Tolerance contraction{.relative = 1e6, .contraction = true};
  CHECK(same({infinity, not_a_number}, {infinity, 2}, contraction));
  CHECK_FALSE(same({infinity, infinity}, {infinity, 2}, contraction));
  CHECK_FALSE(same({infinity, 3}, {infinity, 2}, {.contraction = true}));
  CHECK_FALSE(same({1, not_a_number}, {1, 2}, contraction));
}

TEST_CASE("an ulp is the format's own, also among its subnormals") {
  CHECK(ulp(DType::f32, 1) == 0x1p-23);
  CHECK(ulp(DType::f16, 1.5) == 0x1p-10);
  CHECK(ulp(DType::f16, 2048) == 2);
  CHECK(ulp(DType::f16, 0x1p-20) == 0x1p-24);
  CHECK(ulp(DType::bf16, -256) == 2);
  CHECK(ulp(DType::f64, 0) == 0x1p-1074);
  CHECK(ulp(DType::i32, 7) == 0);
}

TEST_CASE("the worst element is named") {
  CHECK(difference(values({1, 2, 9, 4.5}), values({1, 2, 3, 4}), {}) ==
        "2 of 4 elements differ, worst at 2: got 9, expected 3");
  CHECK(difference(values({1, 2}), values({1}), {}) == "got f32 [2], expected f32 [1]");
  CHECK(difference(values({1}, DType::f16), values({1}), {}) == "got f16 [1], expected f32 [1]");
}

TEST_CASE("zeros are seen") {
  CHECK(all_zero(values({0, -0.0})));
  CHECK_FALSE(all_zero(values({0, 0x1p-149})));
  CHECK_FALSE(all_zero(values({not_a_number})));
}

TEST_CASE("a write beyond the host buffer is seen") {
  const ValueInfo info{DType::f32, {2}, -1, 0};
  const auto fill = [](std::size_t extra) {
    return [extra](std::span<std::byte> bytes) {
      std::fill_n(bytes.data(), bytes.size() + extra, std::byte{0});
    };
  };
  CHECK_NOTHROW(read_guarded(info, "y", fill(0)));
  CHECK_THROWS_AS(read_guarded(info, "y", fill(1)), Error);
}

TEST_CASE("data are whole numbers of both signs within their range, and the same every time") {
  const HostValue drawn = filled(DType::bf16, {1000}, integers(2), "x");
  double least = 9;
  double most = -9;
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    CHECK(drawn.at(i) == std::floor(drawn.at(i)));
    least = std::min(least, drawn.at(i));
    most = std::max(most, drawn.at(i));
  }
  CHECK(least == -2);
  CHECK(most == 2);
  CHECK(drawn == filled(DType::bf16, {1000}, integers(2), "x"));
  CHECK_FALSE(drawn == filled(DType::bf16, {1000}, integers(2), "y"));
}
