// SPDX-License-Identifier: Apache-2.0
#include "halfling/memory_plan.hpp"

#include <doctest/doctest.h>

#include "halfling/builder.hpp"
#include "halfling/random.hpp"

using namespace halfling;

TEST_CASE("temporaries that live at the same time never overlap, and the plan is close to the bound") {
  for (std::uint32_t trial = 0; trial < 50; ++trial) {
    std::vector<Lifetime> lifetimes;
    for (std::uint32_t i = 0; i < 60; ++i) {
      const PhiloxWords words = philox({i, trial, 0, 0}, {1, 2});
      const int first = static_cast<int>(words[0] % 100);
      lifetimes.push_back({words[1] % 5000, first, first + static_cast<int>(words[2] % 20)});
    }
    const MemoryPlan plan = plan_memory(lifetimes, 64);
    for (std::size_t i = 0; i < lifetimes.size(); ++i) {
      CHECK(plan.offsets[i] % 64 == 0);
      CHECK(plan.offsets[i] + lifetimes[i].bytes <= plan.bytes);
      for (std::size_t j = 0; j < i; ++j) {
        const bool together =
            lifetimes[i].first <= lifetimes[j].last && lifetimes[j].first <= lifetimes[i].last;
        const bool apart = plan.offsets[i] + lifetimes[i].bytes <= plan.offsets[j] ||
                           plan.offsets[j] + lifetimes[j].bytes <= plan.offsets[i];
        CHECK((!together || apart || lifetimes[i].bytes == 0 || lifetimes[j].bytes == 0));
      }
    }
    CHECK(plan.bytes >= plan.lower_bound);
    CHECK(static_cast<double>(plan.bytes) <= 1.5 * static_cast<double>(plan.lower_bound));
  }
}

TEST_CASE("a chain needs two buffers") {
  Graph graph;
  Value x{&graph, graph.input("x", DType::f32, {1024})};
  for (int i = 0; i < 10; ++i) x = exp(x);
  graph.output("y", x);
  CHECK(plan_memory(lifetimes_of(graph)).bytes == 2 * 4096);
}
