// SPDX-License-Identifier: Apache-2.0
// The precision pass, on graphs.
#include "halfling/precision.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "halfling/nn.hpp"
#include "plugin/registry.hpp"

using namespace halfling;

namespace {

const Registry& registry() {
  static const Registry registry = Registry::scan();
  return registry;
}

std::unique_ptr<PrecisionPolicy> policy(const char* name, const char* half = "fp16") {
  Options options;
  if (std::string_view(name) == "mixed") options.set("half", std::string(half));
  return registry().create<PrecisionPolicy>(name, options);
}

/// x -> conv -> batch norm -> relu -> linear -> loss, the first weight used twice.
Graph network() {
  Graph graph;
  const Value x{&graph, graph.input("x", DType::f32, {4, 3, 8, 8})};
  const auto layer = [&](Value v) { return nn::conv2d(v, "conv", 5, 4, 2, 1, {Initial::Kind::normal, 0.1}); };
  const Value one = layer(x), two = layer(2.0 * x);
  const Value h = relu(nn::batch_norm(one + two, "bn", {}, nn::Mode::training));
  const Value logit = nn::linear(reshape(h, {4, 80}), "fc", 1);
  graph.output("loss", mean(sigmoid_cross_entropy(logit, 1)));
  graph.output("image", sigmoid(logit));
  return graph;
}

std::vector<const Node*> nodes_of(const Graph& graph, Op op) {
  std::vector<const Node*> found;
  for (const Node& node : graph.nodes())
    if (node.op == op) found.push_back(&node);
  return found;
}

DType result_type(const Graph& graph, const Node& node, std::size_t i = 0) {
  return graph.value(node.results[i]).dtype;
}

}  // namespace

TEST_CASE("fp32 inserts no cast at all") {
  const Graph graph = apply_precision(network(), *policy("fp32")).graph;
  CHECK_NOTHROW(verify(graph));
  CHECK(nodes_of(graph, Op::cast).empty());
  for (const Node& node : graph.nodes())
    if (is_float(result_type(graph, node))) CHECK(node.compute == DType::f32);
}

TEST_CASE("fp64 stores parameters and statistics in double, and computes in it") {
  const Graph graph = apply_precision(network(), *policy("fp64")).graph;
  CHECK_NOTHROW(verify(graph));
  for (const State& state : graph.states()) CHECK(state.dtype == DType::f64);
  for (const Port& port : graph.outputs()) CHECK(graph.value(port.value).dtype == DType::f64);
  for (const Node* node : nodes_of(graph, Op::conv2d)) CHECK(node->compute == DType::f64);
}

TEST_CASE("mixed: contractions and batch norm in half, statistics, losses and sigmoid in f32") {
  for (const auto& [name, half] : {std::pair{"fp16", DType::f16}, {"bf16", DType::bf16}}) {
    const Graph graph = apply_precision(network(), *policy("mixed", name)).graph;
    CHECK_NOTHROW(verify(graph));
    for (const Op op : {Op::conv2d, Op::matmul, Op::batch_norm, Op::leaky_relu})
      for (const Node* node : nodes_of(graph, op)) {
        CHECK(result_type(graph, *node) == half);
        CHECK(node->compute == DType::f32);
      }
    const Node* norm = nodes_of(graph, Op::batch_norm)[0];
    CHECK(result_type(graph, *norm, 1) == DType::f32);
    CHECK(graph.value(norm->operands[1]).dtype == DType::f32);
    for (const Op op : {Op::sigmoid, Op::sigmoid_cross_entropy, Op::sum})
      for (const Node* node : nodes_of(graph, op)) CHECK(result_type(graph, *node) == DType::f32);
    for (const State& state : graph.states()) CHECK(state.dtype == DType::f32);
  }
}

TEST_CASE("mixed: a bias adapts to what it is added to") {
  const Graph graph = apply_precision(network(), *policy("mixed")).graph;
  for (const Node* node : nodes_of(graph, Op::add)) CHECK(result_type(graph, *node) == DType::f16);
}

TEST_CASE("each value is cast at most once per format") {
  const Graph graph = apply_precision(network(), *policy("mixed")).graph;
  std::vector<std::pair<ValueId, DType>> casts;
  for (const Node* node : nodes_of(graph, Op::cast))
    casts.emplace_back(node->operands[0], result_type(graph, *node));
  CHECK(casts.size() > 2);
  std::ranges::sort(casts);
  CHECK(std::ranges::adjacent_find(casts) == casts.end());
}

TEST_CASE("half = auto takes what the device computes natively, else fp16") {
  const auto format = [](FormatSupport f16, FormatSupport bf16) {
    Device device;
    device.f16 = f16;
    device.bf16 = bf16;
    const auto mixed = policy("mixed", "auto");
    mixed->bind(device);
    return mixed->formats()[0];
  };
  using enum FormatSupport;
  CHECK(format(emulated, native) == DType::bf16);
  CHECK(format(native, native) == DType::f16);
  CHECK(format(native, none) == DType::f16);
  CHECK(format(emulated, emulated) == DType::f16);
}
