// SPDX-License-Identifier: Apache-2.0
// What an executable of the emulated backend decides once it is compiled.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "../../unit/training.hpp"
#include "halfling/builder.hpp"

namespace {

using namespace halfling;
using namespace halfling::test;

std::unique_ptr<Session> open_session(Options options = {}) {
  static std::vector<std::unique_ptr<Backend>> backends;  // outlive their sessions
  backends.push_back(make<Backend>("cudnn-emulated", std::move(options)));
  return backends.back()->open(0);
}

Value input(Graph& graph, const std::string& name, Shape shape) {
  return {&graph, graph.input(name, DType::f32, shape)};
}

/// Images that go through equal convolutions, one after the other.
Graph equal_convolutions(int count) {
  Graph graph;
  Value x = input(graph, "x", {2, 8, 6, 6});
  for (int i = 0; i < count; ++i)
    x = conv2d(x, input(graph, "w" + std::to_string(i), {8, 8, 3, 3}), /*stride=*/1, /*padding=*/1);
  graph.output("y", x);
  return graph;
}

std::set<std::string> convolutions(const Executable& executable) {
  std::set<std::string> result;
  for (const ProfileEntry& entry : executable.profile())
    if (entry.name.find("conv2d") != std::string::npos) result.insert(entry.implementation);
  return result;
}

}  // namespace

TEST_CASE("equal convolutions of a session take the same plan, timed once") {
  const auto session = open_session(option("timed_plans", std::int64_t{8}));
  const auto first = session->compile(equal_convolutions(6)),
             second = session->compile(equal_convolutions(3));
  const std::set<std::string> plans = convolutions(*first);
  REQUIRE(plans.size() == 1);
  CHECK(plans.begin()->find(" us; ") != std::string::npos);
  CHECK(convolutions(*second) == plans);
}

TEST_CASE("zeros that pad a value take no memory") {
  const auto workspace = [](std::int64_t more) {
    Graph graph;
    const Value x = input(graph, "x", {4096, 8});
    const Value padding = constant(graph, 0, {4096, more});
    graph.output("y", sum(concat({x, padding}, 1), 3u));
    return open_session()->compile(graph)->memory().workspace;
  };
  CHECK(workspace(8) == workspace(512));
}
