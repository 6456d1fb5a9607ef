// SPDX-License-Identifier: Apache-2.0
#include "halfling/dtype.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

using namespace halfling;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Every non-negative finite value of a format, in order, by the definition of its fields; and then the value
// that would follow if the exponent had no end, which stands for infinity (IEEE 754-2019, 4.3.1).
std::vector<double> values_of(int precision, int smallest, int largest) {
  std::vector<double> values;
  const int fractions = 1 << (precision - 1);
  for (int i = 0; i < fractions; ++i) values.push_back(std::ldexp(i, smallest - precision + 1));
  for (int exponent = smallest; exponent <= largest; ++exponent) {
    for (int i = 0; i < fractions; ++i) {
      values.push_back(std::ldexp(fractions + i, exponent - precision + 1));
    }
  }
  values.push_back(std::ldexp(1, largest + 1));
  return values;
}

// Both sides of every tie, and the ties themselves, which go to the even one of the neighbours.
void check_all_ties(DType type, const std::vector<double>& values) {
  int wrong = 0;
  const auto expect = [&](double value, std::size_t index) {
    const double right = index + 1 == values.size() ? infinity : values[index];
    wrong += round_to(type, value) != right || round_to(type, -value) != -right;
  };
  for (std::size_t i = 0; i + 1 < values.size(); ++i) {
    const double middle = values[i] + (values[i + 1] - values[i]) / 2;
    expect(values[i], i);
    expect(middle, i % 2 == 0 ? i : i + 1);
    expect(std::nextafter(middle, 0), i);
    expect(std::nextafter(middle, infinity), i + 1);
  }
  CHECK(wrong == 0);
}

struct RoundingCases {
  std::vector<float> value;
  std::vector<std::uint16_t> f16, bf16;
};

template <class T>
std::vector<T> tensor(const std::string& file, const nlohmann::json& header, const char* name) {
  const auto begin = header.at(name).at("data_offsets").at(0).get<std::size_t>();
  const auto end = header.at(name).at("data_offsets").at(1).get<std::size_t>();
  std::uint64_t length = 0;
  std::memcpy(&length, file.data(), sizeof length);
  std::vector<T> result((end - begin) / sizeof(T));
  std::memcpy(result.data(), file.data() + sizeof length + length + begin, end - begin);
  return result;
}

RoundingCases read_cases() {
  std::ifstream stream(HALFLING_TEST_DATA "/rounding.safetensors", std::ios::binary);
  REQUIRE(stream);
  const std::string file((std::istreambuf_iterator<char>(stream)), {});
  std::uint64_t length = 0;
  std::memcpy(&length, file.data(), sizeof length);
  const auto header = nlohmann::json::parse(file.substr(sizeof length, length));
  return {tensor<float>(file, header, "float32"), tensor<std::uint16_t>(file, header, "float16"),
          tensor<std::uint16_t>(file, header, "bfloat16_bits")};
}

bool same(std::uint16_t got, std::uint16_t expected, std::uint16_t infinity_bits) {
  const bool nan = (expected & 0x7fff) > infinity_bits;
  return nan ? (got & 0x7fff) > infinity_bits : got == expected;
}

}  // namespace

TEST_CASE("names and sizes") {
  CHECK(name_of(DType::bf16) == "bf16");
  CHECK(name_of(DType::boolean) == "bool");
  CHECK(size_of(DType::tf32) == 4);
  CHECK(size_of(DType::f16) == 2);
}

TEST_CASE("round_to finds the nearest value, ties to even, for every tie of f16, bf16 and tf32") {
  check_all_ties(DType::f16, values_of(11, -14, 15));
  check_all_ties(DType::bf16, values_of(8, -126, 127));
  check_all_ties(DType::tf32, values_of(11, -126, 127));
}

TEST_CASE("round_to keeps special values and does not round twice") {
  CHECK(std::isnan(round_to(DType::f16, std::nan(""))));
  CHECK(round_to(DType::bf16, -infinity) == -infinity);
  CHECK(std::signbit(round_to(DType::f16, -0.0)));
  CHECK(std::signbit(round_to(DType::f16, -1e-300)));
  CHECK(round_to(DType::f32, 1e-46) == 0);
  CHECK(round_to(DType::f64, 0.1) == 0.1);
  // Just above a tie of f16, and a tie exactly once it is rounded to f32.
  CHECK(round_to(DType::f16, 1 + 0x1p-11 + 0x1p-50) == 1 + 0x1p-10);
  CHECK(round_to(DType::bf16, std::numeric_limits<double>::denorm_min()) == 0);
  CHECK_THROWS_AS(round_to(DType::i32, 1), std::logic_error);
}

TEST_CASE("the bits of every half survive a way through float32") {
  int wrong = 0;
  for (std::uint32_t i = 0; i < 0x10000; ++i) {
    const auto bits = static_cast<std::uint16_t>(i);
    wrong += !same(f16_bits(f16_value(bits)), bits, 0x7c00);
    wrong += !same(bf16_bits(bf16_value(bits)), bits, 0x7f80);
  }
  CHECK(wrong == 0);
  CHECK(f16_value(0x3c00) == 1);
  CHECK(f16_value(0x0001) == 0x1p-24f);
  CHECK(f16_value(0xfbff) == -65504);
}

TEST_CASE("NaN becomes a quiet NaN") {
  const float signalling = std::bit_cast<float>(0x7f800001u);
  CHECK((f16_bits(signalling) & 0x7e00) == 0x7e00);
  CHECK((bf16_bits(signalling) & 0x7fc0) == 0x7fc0);
  CHECK((std::bit_cast<std::uint32_t>(f16_value(0x7c01)) & 0x7fc00000u) == 0x7fc00000u);
}

TEST_CASE("the reference roundings, bit for bit") {
  const RoundingCases cases = read_cases();
  REQUIRE(cases.value.size() > 100000);
  REQUIRE(cases.value.size() == cases.f16.size());
  REQUIRE(cases.value.size() == cases.bf16.size());
  int wrong = 0;
  for (std::size_t i = 0; i < cases.value.size(); ++i) {
    const float value = cases.value[i];
    wrong += !same(f16_bits(value), cases.f16[i], 0x7c00);
    wrong += !same(bf16_bits(value), cases.bf16[i], 0x7f80);
    const auto rounded = [&](DType type) { return static_cast<float>(round_to(type, value)); };
    wrong += !same(f16_bits(rounded(DType::f16)), cases.f16[i], 0x7c00);
    wrong += !same(bf16_bits(rounded(DType::bf16)), cases.bf16[i], 0x7f80);
  }
  CHECK(wrong == 0);
}
