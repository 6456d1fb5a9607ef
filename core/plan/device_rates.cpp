// SPDX-License-Identifier: Apache-2.0
#include "plan/device_rates.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "halfling/builder.hpp"
#include "iteration/host_value.hpp"

namespace halfling {
namespace {

constexpr int repetitions = 7;
// Grown until they take long enough to tell a rate, so that a slow backend ends, too.
constexpr std::int64_t least_edge = 64, most_edge = 1024;                  // of the square matrices
constexpr std::int64_t least_elements = 1 << 16, most_elements = 1 << 24;  // of the arrays that are added
constexpr double long_enough = 0.02;                                       // seconds
constexpr int chain = 64, tiny = 8;
// What an iteration's products, smaller than these and of all shapes, and its loops get of that; stated, as
// those of the catalogue are.
constexpr double single_share = 0.85, half_share = 0.8, bandwidth_share = 0.9;

State square(std::string name, std::int64_t n) {
  return {.name = std::move(name),
          .dtype = DType::f32,
          .shape = {n, n},
          .initial = {},
          .role = StateRole::parameter};
}

/// Memory that was never written may be a single page of zeros. 1 / n keeps products of matrices what they
/// are.
void fill(Session& session, const State& state) {
  const std::vector<float> values(static_cast<std::size_t>(state.shape.elements()),
                                  1.0F / static_cast<float>(state.shape[0]));
  session.write_state(state.name, std::as_bytes(std::span(values)));
}

/// Seconds of the fastest of several runs, until the result is there.
double best_seconds(Session& session, const Graph& graph) {
  const auto executable = session.compile(graph);
  for (const State& state : graph.states()) fill(session, state);
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i <= repetitions; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    executable->run();
    read_number(*executable, graph, "out");
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    if (i > 0) best = std::min(best, took.count());
  }
  return best;
}

/// FLOP/s of several products, so that what is beside them weighs little.
double product_rate(Session& session, DType format, DType compute) {
  constexpr int products = 4;
  for (std::int64_t edge = least_edge;; edge *= 2) {
    Graph graph;
    graph.context().compute = compute;
    const std::string size = std::to_string(edge);
    const Value weight = cast(state(graph, square("a" + size, edge)), format);
    Value x = cast(state(graph, square("b" + size, edge)), format);
    for (int i = 0; i < products; ++i) x = matmul(x, weight);
    graph.context().compute.reset();
    graph.output("out", mean(cast(x, DType::f32)));
    const double seconds = best_seconds(session, graph);
    if (seconds >= long_enough || edge == most_edge)
      return 2.0 * products * static_cast<double>(edge * edge * edge) / seconds;
  }
}

State array(std::string name, std::int64_t n) {
  return {.name = std::move(name),
          .dtype = DType::f32,
          .shape = {n},
          .initial = {},
          .role = StateRole::parameter};
}

/// Bytes/s of a sum of two arrays: two are read and one is written.
double sum_rate(Session& session) {
  for (std::int64_t elements = least_elements;; elements *= 4) {
    Graph graph;
    const std::string size = std::to_string(elements);
    const Value sum = state(graph, array("c" + size, elements)) + state(graph, array("d" + size, elements));
    graph.output("sum", sum);
    graph.output("out", mean(slice(sum, 0, 0, 1)));
    const double seconds = best_seconds(session, graph);
    if (seconds >= long_enough || elements == most_elements)
      return 3.0 * sizeof(float) * static_cast<double>(elements) / seconds;
  }
}

double launch_seconds(Session& session) {
  Graph graph;
  const Value weight = state(graph, square("w", tiny));
  Value x = state(graph, square("x", tiny));
  for (int i = 0; i < chain; ++i) x = matmul(x, weight);
  graph.output("out", mean(x));
  return best_seconds(session, graph) / chain;
}

}  // namespace

Rates measured_rates(const Platform& platform) {
  const auto session = platform.backend->open(platform.device_index);
  const auto native = [&](DType format) { return platform.device.support(format) == FormatSupport::native; };
  Rates rates{.single_share = single_share, .half_share = half_share, .bandwidth_share = bandwidth_share};
  rates.f32 = product_rate(*session, DType::f32, DType::f32);
  if (native(DType::tf32)) rates.tf32 = product_rate(*session, DType::f32, DType::tf32);
  for (const DType format : {DType::bf16, DType::f16})
    if (native(format)) rates.half = std::max(rates.half, product_rate(*session, format, DType::f32));
  rates.bandwidth = sum_rate(*session);
  rates.launch_s = launch_seconds(*session);
  return rates;
}

}  // namespace halfling
