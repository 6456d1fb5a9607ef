// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <sys/mman.h>

#include <cmath>
#include <limits>

#include "halfling/builder.hpp"
#include "measure/iteration_times.hpp"
#include "measure/memory.hpp"
#include "train/profile.hpp"
#include "train/schedule.hpp"

using namespace halfling;

TEST_CASE("a budget becomes the least number of iterations") {
  Budget budget;
  budget.samples = 100;
  CHECK(limits_of(budget, 16, 10).iterations == 7);  // the last one is not full
  budget.epochs = 2;
  CHECK(limits_of(budget, 16, 3).iterations == 6);
  budget.iterations = 5;
  CHECK(limits_of(budget, 16, 3).iterations == 5);
  CHECK(!limits_of(budget, 16, 3).seconds);
  budget = {};
  budget.epochs = std::int64_t{1} << 62;
  CHECK(limits_of(budget, 16, 1000).iterations == std::numeric_limits<std::int64_t>::max());
}

TEST_CASE("the first limit reached counts, and the nearest one gives the time left") {
  const Limits limits{10, 60.0};
  CHECK(!limits.reached(9, 59.9));
  CHECK(limits.reached(10, 0));
  CHECK(limits.reached(0, 60));
  CHECK(limits.left(4, 5, 1) == doctest::Approx(6));
  CHECK(limits.left(4, 58, 1) == doctest::Approx(2));
  CHECK(limits.left(4, 61, 1) == 0);
  CHECK(!Limits{10, {}}.left(4, 5, 0).has_value());
}

TEST_CASE("an interval of iterations counts from 0 of the run, one of seconds from its own start") {
  Every iterations({0, 5});
  CHECK(!iterations.due(4, 0));
  CHECK(iterations.due(5, 0));
  CHECK(iterations.due(10, 0));
  Every seconds({2.0, 0}, 7);
  CHECK(!seconds.due(1, 8.9));
  CHECK(seconds.due(2, 9.1));
  CHECK(!seconds.due(3, 10.9));  // 11, not 11.1: no drift
  CHECK(seconds.due(4, 11.0));
  CHECK(seconds.due(5, 20));  // one iteration longer than several intervals is one event
  CHECK(!seconds.due(6, 20.1));
  CHECK(!Every({0, 0}).due(1, 1e9));
}

TEST_CASE("warm-up iterations are counted, not timed") {
  IterationTimes times;
  for (const double seconds : {9.0, 8.0, 7.0}) times.add(seconds, 1);
  CHECK(times.warmup_iterations() == 3);
  CHECK(times.timed_iterations() == 0);
  CHECK(std::isnan(times.milliseconds().median));
  CHECK(times.mean_seconds() == 0);
  CHECK(times.input_wait_share() == 0);
  for (const double seconds : {0.010, 0.030, 0.020}) times.add(seconds, 0.005);
  CHECK(times.warmup_iterations() == 3);
  CHECK(times.timed_iterations() == 3);
  CHECK(times.milliseconds().median == doctest::Approx(20));
  CHECK(times.mean_seconds() == doctest::Approx(0.02));
  CHECK(times.input_wait_share() == doctest::Approx(0.25));
}

TEST_CASE("each block has a warm-up and a median of its own") {
  IterationTimes times;
  CHECK(times.block_medians().empty());
  for (const double seconds : {9.0, 8.0, 7.0, 0.010, 0.030, 0.020}) times.add(seconds, 0);
  times.begin_block();
  for (const double seconds : {9.0, 8.0}) times.add(seconds, 0);  // interrupted while it warms up
  times.begin_block();
  for (const double seconds : {9.0, 8.0, 7.0, 0.040}) times.add(seconds, 0);
  REQUIRE(times.block_medians().size() == 2);
  CHECK(times.block_medians()[0] == doctest::Approx(20));
  CHECK(times.block_medians()[1] == doctest::Approx(40));
  CHECK(times.warmup_iterations() == 8);
  CHECK(times.timed_iterations() == 4);
  CHECK(times.milliseconds().median == doctest::Approx(25));
}

TEST_CASE("blocks divide a budget, iterations rounded up") {
  const Limits limits{10, 6.0};
  CHECK(limits.part(1, 3).iterations == 4);
  CHECK(limits.part(1, 3).seconds == doctest::Approx(2));
  CHECK(limits.part(2, 3).iterations == 7);
  CHECK(limits.part(3, 3).iterations == 10);
  CHECK(limits.part(3, 3).seconds == 6);
  CHECK(!Limits{{}, 6.0}.part(1, 2).iterations);
  CHECK(!Limits{10, {}}.part(1, 2).seconds);
}

TEST_CASE("quantiles lie between neighbours, as numpy's do") {
  const double values[] = {4, 1, 3, 2};
  const Quantiles q = quantiles(values);
  CHECK(q.median == doctest::Approx(2.5));
  CHECK(q.p10 == doctest::Approx(1.3));
  CHECK(q.p90 == doctest::Approx(3.7));
  const double one[] = {7};
  CHECK(quantiles(one).p90 == 7);
}

TEST_CASE("a new peak of memory forgets what was freed") {
  constexpr std::size_t size = std::size_t{64} << 20;
  begin_peak();
  // Mapped by hand: an allocator may keep what is freed, as sanitizers do.
  void* memory =
      ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  REQUIRE(memory != MAP_FAILED);
  ::munmap(memory, size);
  CHECK(peak_resident() >= size);
  CHECK(peak_resident() >= resident());
  const std::uint64_t before = peak_resident();
  begin_peak();
  if (peak_resident() == before) return;  // this kernel does not begin anew
  CHECK(peak_resident() < before - size / 2);
}

TEST_CASE("steps are summed by layer and kind of work, and what is fused is of its weightiest kind") {
  Graph graph;
  const Value x{&graph, graph.input("x", DType::f32, {2, 2})};
  graph.context().scope = "g.fc1";
  const Value y = matmul(x, x);
  const Value z = exp(cast(y, DType::bf16));
  graph.context().stage = Stage::update;
  graph.context().scope = "g.fc1.weight";
  const Value w = 2.0 * z;
  const auto node = [&](Value value) { return graph.value(value).producer; };
  const NodeId cast_node = graph.value(graph.node(node(z)).operands[0]).producer;
  const std::vector<ProfileEntry> steps{{"a", "", 0.001, 10, 20, {node(y)}},
                                        {"b", "", 0.002, 0, 8, {cast_node}},
                                        {"c", "", 0.004, 0, 8, {cast_node, node(z)}},
                                        {"d", "", 0.008, 1, 1, {node(y)}},
                                        {"e", "", 0.016, 0, 0, {node(w)}},
                                        {"states", "", 0.032, 0, 0, {}},
                                        {"of another graph", "", 0.064, 0, 0, {-1, 99}}};
  const std::vector<WorkTime> times = work_times(graph, steps);
  REQUIRE(times.size() == 5);
  const auto is = [&](std::size_t i, const char* layer, const char* work, double ms) {
    CHECK(times[i].layer == layer);
    CHECK(times[i].work == work);
    CHECK(times[i].ms == doctest::Approx(ms));
  };
  is(0, "g.fc1", "contraction", 9);
  CHECK(times[0].flops == 11);
  CHECK(times[0].bytes == 21);
  is(1, "g.fc1", "cast", 2);
  is(2, "g.fc1", "pointwise", 4);
  is(3, "", "update", 16);
  is(4, "", "movement", 96);
}
