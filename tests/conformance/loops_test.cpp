// SPDX-License-Identifier: Apache-2.0
// That conformance under ONEDNN_MAX_CPU_ISA tests the loops for older processors: backend cpu keeps to it.
#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

#include "../unit/training.hpp"
#include "halfling/builder.hpp"

using namespace halfling;

TEST_CASE("the loops use no newer instructions than ONEDNN_MAX_CPU_ISA allows") {
  const char* most = std::getenv("ONEDNN_MAX_CPU_ISA");
  REQUIRE(most != nullptr);
  Graph graph;
  graph.output("y", exp(Value{&graph, graph.input("x", DType::f32, {5})}));
  const auto backend = test::make<Backend>("cpu");
  const auto session = backend->open(0);
  const auto step = session->compile(graph);
  const std::string loops = step->profile().at(0).implementation;
  CAPTURE(loops);
  if (std::string(most) == "SSE41")
    CHECK(loops == "tiles:sse2");
  else  // a processor may have less
    CHECK((std::string(most) == "AVX2" && (loops == "tiles:avx2" || loops == "tiles:sse2")));
}
