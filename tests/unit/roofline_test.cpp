// SPDX-License-Identifier: Apache-2.0
#include "plan/roofline.hpp"

#include <doctest/doctest.h>

#include "halfling/builder.hpp"
#include "halfling/error.hpp"

using namespace halfling;

namespace {

/// 1 TFLOP/s in fp32, 4 in half, 100 GB/s, a launch of 1 us.
Rates rates() {
  return {.f32 = 1e12, .tf32 = 0, .half = 4e12, .bandwidth = 1e11, .launch_s = 1e-6};
}

PredictedTime time_of(const Graph& graph, const Rates& of) {
  const auto time = predicted_time(graph, of);
  REQUIRE(time);
  return *time;
}

Graph product(DType format, std::int64_t n) {
  Graph graph;
  const Value a{&graph, graph.input("a", format, {n, n})}, b{&graph, graph.input("b", format, {n, n})};
  graph.output("c", matmul(a, b));
  return graph;
}

}  // namespace

TEST_CASE("a large product takes its FLOPs, a small one its bytes") {
  const PredictedTime large = time_of(product(DType::f32, 1024), rates());
  CHECK(large.contractions == doctest::Approx(2.0 * 1024 * 1024 * 1024 / 1e12));
  CHECK(large.launches == doctest::Approx(1e-6));
  CHECK(large.loops + large.updates == 0);
  const PredictedTime small = time_of(product(DType::f32, 8), rates());
  CHECK(small.contractions == doctest::Approx(3 * 4 * 64 / 1e11));
  const PredictedTime half = time_of(product(DType::f16, 1024), rates());
  CHECK(half.contractions == doctest::Approx(large.contractions / 4));
}

TEST_CASE("shares of the rates, and processors that a small result leaves idle, make it longer") {
  Rates half = rates();
  half.single_share = 0.5;
  CHECK(time_of(product(DType::f32, 1024), half).contractions ==
        doctest::Approx(2 * time_of(product(DType::f32, 1024), rates()).contractions));
  Rates wide = rates();
  wide.processors = 512;  // 1024 squared has 256 tiles
  CHECK(time_of(product(DType::f32, 1024), wide).contractions ==
        doctest::Approx(2 * time_of(product(DType::f32, 1024), rates()).contractions));
}

TEST_CASE("a run of loops moves what enters and what leaves it") {
  Graph graph;
  const Value x{&graph, graph.input("x", DType::f32, {1000})};
  const Value y = exp(2.0 * x);
  graph.output("y", cast(y, DType::bf16));
  const PredictedTime time = time_of(graph, rates());
  CHECK(time.loops == doctest::Approx((4000 + 2000) / 1e11));
  CHECK(time.launches == doctest::Approx(1e-6));  // one loop
  CHECK(time.contractions == 0);
}

TEST_CASE("what a later stage reads leaves the run, too") {
  Graph graph;
  const Value x{&graph, graph.input("x", DType::f32, {1000})};
  const Value y = exp(x);
  graph.context().stage = Stage::backward;
  graph.output("z", 2.0 * y);
  const PredictedTime time = time_of(graph, rates());
  CHECK(time.loops == doctest::Approx(4 * 4000 / 1e11));
  CHECK(time.launches == doctest::Approx(2e-6));
}

TEST_CASE("a device without a format has no time") {
  Rates none = rates();
  none.half = 0;
  CHECK(!predicted_time(product(DType::bf16, 64), none));
  CHECK(!predicted_time(product(DType::f64, 64), rates()));
  CHECK(predicted_time(product(DType::f32, 64), none));
}

TEST_CASE("every shipped accelerator says what it is, and where its figures stand") {
  const std::vector<Accelerator> all = known_accelerators({});
  CHECK(all.size() >= 7);
  for (const Accelerator& a : all) {
    CAPTURE(a.name);
    CHECK(!a.what.empty());
    CHECK(!a.source.empty());
    CHECK(a.date.size() >= 4);
    CHECK(a.rates.half >= a.rates.f32);
    CHECK(a.rates.bandwidth > 1e11);
    CHECK(a.rates.single_share < 1);
    // Where half formats have no units of their own, they are no reason to be slower.
    CHECK(a.rates.half * a.rates.half_share >= a.rates.f32 * a.rates.single_share);
  }
}

TEST_CASE("a catalogue that is none is refused with its place") {
  const auto refused = [](const std::string& toml) -> std::string {
    try {
      parse_accelerators(toml, "mine.toml");
    } catch (const Error& error) {
      return error.what();
    }
    return "accepted";
  };
  const std::string good = "[a]\nmemory = 1\nbandwidth = 1\nfp32 = 1\nprocessors = 1\n";
  CHECK(parse_accelerators(good, "mine.toml").front().rates.half == 0);
  CHECK(refused(good + "tflops = 3\n").find("mine.toml:6:1") != std::string::npos);
  CHECK(refused(good + "half = -1\n").find("a number above zero") != std::string::npos);
  CHECK(refused(good + "half = nan\n").find("a number above zero") != std::string::npos);
  CHECK(refused(good + "what = 7\n").find("a text in quotes") != std::string::npos);
  CHECK(refused("[a]\nmemory = 1\n").find("a.fp32") != std::string::npos);
  CHECK(refused("a = 1\n").find("beside its tables") != std::string::npos);
  CHECK(refused("[a\n").find("mine.toml:1") != std::string::npos);
  CHECK(refused("a = " + std::string(100000, '[')).find("nested too deep") != std::string::npos);
}
