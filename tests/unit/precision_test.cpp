// SPDX-License-Identifier: Apache-2.0
// The precision pass, on graphs.
#include "halfling/precision.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>

#include "halfling/error.hpp"
#include "halfling/nn.hpp"
#include "scratch.hpp"
#include "training.hpp"

using namespace halfling;
using namespace halfling::test;

namespace {

std::unique_ptr<PrecisionPolicy> policy(const char* name, const char* half = "fp16") {
  if (std::string_view(name) != "mixed") return make<PrecisionPolicy>(name);
  return make<PrecisionPolicy>(name, option("half", std::string(half)));
}

std::unique_ptr<PrecisionPolicy> rules(std::vector<std::string> list) {
  return make<PrecisionPolicy>("rules", option("rules", std::move(list)));
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

TEST_CASE("mixed: batch norm of single precision reads half, a reduction of half gives single") {
  Graph single;
  const Value x{&single, single.input("x", DType::f32, {4, 3})};
  single.output("mean", mean(nn::batch_norm(x, "bn", {}, nn::Mode::training)));
  const Graph graph = apply_precision(single, *policy("mixed")).graph;
  const Node* norm = nodes_of(graph, Op::batch_norm)[0];
  CHECK(graph.value(norm->operands[0]).dtype == DType::f16);
  CHECK(result_type(graph, *norm) == DType::f16);
  CHECK(result_type(graph, *nodes_of(graph, Op::sum)[0]) == DType::f32);
}

TEST_CASE("mixed: a bias adapts to what it is added to") {
  const Graph graph = apply_precision(network(), *policy("mixed")).graph;
  for (const Node* node : nodes_of(graph, Op::add)) CHECK(result_type(graph, *node) == DType::f16);
}

TEST_CASE("pain 11: each value is cast at most once per format") {
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
    device.formats[DType::f16] = f16;
    device.formats[DType::bf16] = bf16;
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

TEST_CASE("tf32: contractions store f32 and compute in tf32, the rest is f32") {
  const auto tf32 = policy("tf32");
  const Graph graph = apply_precision(network(), *tf32).graph;
  CHECK(nodes_of(graph, Op::cast).empty());
  CHECK(tf32->formats() == std::vector{DType::f32, DType::tf32});
  for (const Node& node : graph.nodes())
    if (is_float(result_type(graph, node)))
      CHECK(node.compute == (class_of(node.op) == OpClass::contraction ? DType::tf32 : DType::f32));
}

TEST_CASE("mixed keeps in f32 the ops and layers that its options name") {
  const auto type_in = [](const Graph& graph, const char* layer, Op op) {
    for (const Node* node : nodes_of(graph, op))
      if (node->scope == layer) return result_type(graph, *node);
    return DType::boolean;
  };
  const auto graph_with = [](const char* key, OptionValue value) {
    const Options options = option("half", std::string("fp16"), option(key, std::move(value)));
    return apply_precision(network(), *make<PrecisionPolicy>("mixed", options)).graph;
  };
  SUBCASE("normalization") {
    const Graph graph = graph_with("single", std::vector<std::string>{"normalization", "loss"});
    CHECK(type_in(graph, "bn", Op::batch_norm) == DType::f32);
    CHECK(type_in(graph, "conv", Op::conv2d) == DType::f16);
  }
  SUBCASE("the first layer") {
    const Graph graph = graph_with("single_first_layer", true);
    CHECK(type_in(graph, "net.conv", Op::conv2d) == DType::boolean);  // no such layer
    CHECK(type_in(graph, "conv", Op::conv2d) == DType::f32);
    CHECK(type_in(graph, "fc", Op::matmul) == DType::f16);
  }
  SUBCASE("the last layer") {
    const Graph graph = graph_with("single_last_layer", true);
    CHECK(type_in(graph, "conv", Op::conv2d) == DType::f16);
    CHECK(type_in(graph, "fc", Op::matmul) == DType::f32);
  }
  SUBCASE("an unknown op") {
    CHECK_THROWS_WITH_AS(graph_with("single", std::vector<std::string>{"normalisation"}),
                         doctest::Contains("normalisation"), Error);
  }
}

TEST_CASE("rules reproduce mixed node by node") {
  const auto same =
      rules({"contraction, normalization = f16", "reduction, loss = f32", "sigmoid = f32/f32", "* = follow"});
  CHECK(text(apply_precision(network(), *same).graph) ==
        text(apply_precision(network(), *policy("mixed")).graph));
  const auto other = rules({"contraction, normalization = f16", "reduction, loss = f32", "* = follow"});
  CHECK(text(apply_precision(network(), *other).graph) !=
        text(apply_precision(network(), *policy("mixed")).graph));
}

TEST_CASE("of the rules, the first that matches decides, and what none matches is f32") {
  const auto some = rules({"conv* @ conv = bf16", "contraction = f32/tf32"});
  const Graph graph = apply_precision(network(), *some).graph;
  for (const Node* node : nodes_of(graph, Op::conv2d)) CHECK(result_type(graph, *node) == DType::bf16);
  CHECK(nodes_of(graph, Op::matmul)[0]->compute == DType::tf32);
  CHECK(result_type(graph, *nodes_of(graph, Op::batch_norm)[0]) == DType::f32);
  CHECK(some->formats() == std::vector{DType::f32, DType::tf32, DType::bf16});
}

TEST_CASE("what follows operands of both half formats is f32: neither holds the other") {
  Graph single;
  const Value x{&single, single.input("x", DType::f32, {4, 3})};
  single.output("sum", nn::linear(x, "a", 5) - nn::linear(x, "b", 5));
  const auto both = rules({"contraction @ a = f16", "contraction @ b = bf16", "* = follow"});
  const Graph graph = apply_precision(single, *both).graph;
  CHECK(result_type(graph, *nodes_of(graph, Op::subtract)[0]) == DType::f32);
}

namespace {

State statistic(const char* name, Shape shape) {
  return {.name = name,
          .dtype = DType::f32,
          .shape = shape,
          .initial = {Initial::Kind::constant, 0.5},
          .role = StateRole::statistic};
}

/// States that a contraction (the vector of a spectral norm), a normalization, an average of half values, a
/// constant and a scaler's arithmetic assign.
Graph assigning_states() {
  Graph graph;
  const Value x{&graph, graph.input("x", DType::f32, {4, 3})};
  const Value w = nn::parameter(graph, "w", {5, 3}, {Initial::Kind::uniform, 1});
  const Value u = state(graph, statistic("u", {1, 5}));
  const Value next = matmul(matmul(u, w), w, false, true);
  graph.assign("u", next);
  const Value average = state(graph, statistic("average", {1, 5}));
  graph.assign("average",
               {graph.append_value(Op::moving_average, {average, next}, MovingAverageAttributes{})});
  state(graph, statistic("normal", {4, 3}));
  graph.assign("normal", nn::batch_norm(x, "bn", {}, nn::Mode::training));
  state(graph, statistic("reset", {4}));
  graph.assign("reset", constant(graph, 0.1, {4}));
  State scale = statistic("scale", {});
  scale.role = StateRole::scaler;
  state(graph, scale);
  graph.assign("scale", mean(next));
  graph.output("y", matmul(x, w, false, true) /
                        broadcast(reshape(mean(state(graph, statistic("u", {1, 5}))), {1, 1}), {4, 5}));
  return graph;
}

/// What each state holds after two runs.
std::map<std::string, std::vector<double>> states_after_two_runs(const Graph& graph) {
  const auto backend = make<Backend>("reference");
  const auto session = backend->open(0);
  const auto step = session->compile(graph);
  for (const State& state : graph.states()) session->write_state(state.name, initial_value(state, 5));
  const std::vector<float> x{0.5, -1, 2, 1, 0.25, -0.5, 3, 1, 1, -2, 0, 1};
  step->write("x", std::as_bytes(std::span(x)));
  step->run();
  step->run();
  std::map<std::string, std::vector<double>> result;
  for (const State& state : graph.states()) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(state.shape.elements()) * size_of(state.dtype));
    session->read_state(state.name, bytes);
    result[state.name] = to_numbers(bytes, state.dtype);
  }
  return result;
}

}  // namespace

TEST_CASE("what a policy computes for a state is kept in the state's own format") {
  const auto single = states_after_two_runs(apply_precision(assigning_states(), *policy("fp32")).graph);
  std::vector<std::unique_ptr<PrecisionPolicy>> policies;
  for (const char* name : {"fp32", "tf32", "fp64"}) policies.push_back(policy(name));
  for (const char* half : {"fp16", "bf16"}) policies.push_back(policy("mixed", half));
  policies.push_back(rules({"* = f16"}));
  policies.push_back(rules({"normalization = bf16", "* = follow"}));
  for (const auto& one : policies) {
    const Graph graph = apply_precision(assigning_states(), *one).graph;
    CAPTURE(text(graph));
    CHECK_NOTHROW(verify(graph));
    for (const State& state : graph.states()) {
      CHECK(state.dtype == (state.role == StateRole::scaler ? DType::f32 : one->parameter_format()));
      CHECK(graph.value(state.latest).dtype == state.dtype);
    }
    for (const auto& [name, values] : states_after_two_runs(graph)) {
      CAPTURE(name);
      for (std::size_t i = 0; i < values.size(); ++i)
        CHECK(values[i] == doctest::Approx(single.at(name)[i]).epsilon(0.05));
    }
  }
}

TEST_CASE("a rule that matches nothing, is never reached, or cannot be read is refused") {
  const Graph graph = network();
  const auto check = [&](std::vector<std::string> list) {
    const std::vector<const Graph*> graphs{&graph};
    rules(std::move(list))->check(graphs);
  };
  CHECK_NOTHROW(check({"contraction @ fc = f16", "contraction = f32"}));
  CHECK_THROWS_WITH_AS(check({"contraction @ conf* = f16"}), doctest::Contains("conv"),
                       Error);  // the nearest layer
  CHECK_THROWS_WITH_AS(check({"batch_norm_inference = f32"}), doctest::Contains("matches nothing"), Error);
  CHECK_THROWS_WITH_AS(check({"* = f32", "conv2d = f16"}), doctest::Contains("never reached"), Error);
  const ErrorDetails all = error_of([&] {
    check({"batch_norm_inference = f32", "* = f32", "conv2d = f16"});
  });
  CHECK(all.got == "batch_norm_inference = f32");
  REQUIRE(all.others.size() == 1);
  CHECK(all.others[0].got == "conv2d = f16");
  CHECK(error_of([&] { rules({"conv2d", "* = f32", "conv3d = f16"}); }).others.size() == 1);
  for (const char* bad : {"conv2d f16", "conv3d = f16", "conv2d = fp16", "conv2d = f16/tf32", " = f16",
                          "conv2d @ = f16", "conv2d = "})
    CHECK_THROWS_WITH_AS(rules({bad}), doctest::Contains(bad), Error);
}
