// SPDX-License-Identifier: Apache-2.0
// The graph of a whole iteration of the AC-GAN.
#include "iteration/iteration.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include "halfling/cost.hpp"
#include "halfling/error.hpp"
#include "iteration/diagnostic.hpp"
#include "training.hpp"

using namespace halfling;
using namespace halfling::test;

namespace {

struct Parts {
  std::unique_ptr<Architecture> architecture;
  std::unique_ptr<PrecisionPolicy> policy;
  std::unique_ptr<LossScaler> scaler;
  std::unique_ptr<Optimizer> optimizer;

  IterationGraph build(std::int64_t batch, ScalerScope scope = ScalerScope::operation) const {
    return build_iteration({.architecture = architecture.get(),
                            .policy = policy.get(),
                            .scaler = scaler.get(),
                            .scope = scope,
                            .optimizers = {},
                            .optimizer = optimizer.get(),
                            .spec = {batch, {1, 28, 28}, 10}});
  }
};

Parts parts(const char* precision, const char* scaler, Options policy = {}) {
  if (std::string_view(precision) == "mixed") policy.set("half", std::string("bf16"));
  return {make<Architecture>("acgan"), make<PrecisionPolicy>(precision, std::move(policy)),
          make<LossScaler>(scaler), make<Optimizer>("adam")};
}

std::int64_t count(const Graph& graph, auto&& predicate) {
  return std::ranges::count_if(graph.nodes(), predicate);
}

}  // namespace

/// Promised not to be called while it is not active.
class Uncalled : public LossScaler {
 public:
  bool active() const override { return false; }
  Value scale(Graph&, const std::string&) const override { throw std::logic_error("scale() was called"); }
  void update(Graph&, const std::string&, Value) const override {
    throw std::logic_error("update() was called");
  }
};

TEST_CASE("an inactive scaler is not asked for a scale, which is 1") {
  Parts these = parts("fp32", "none");
  const std::string with_none = text(these.build(4).graph);
  these.scaler = std::make_unique<Uncalled>();
  CHECK(text(these.build(4).graph) == with_none);
}

TEST_CASE("the AC-GAN has the article's parameters and work") {
  const Graph graph = parts("fp32", "none").build(4).graph;
  std::map<char, std::int64_t> parameters;
  std::int64_t updated = 0;
  for (const State& state : graph.states())
    if (state.role == StateRole::parameter) parameters[state.name[0]] += state.shape.elements();
  for (const Node& node : graph.nodes())
    if (node.op == Op::adam) updated += graph.value(node.results[0]).shape.elements();
  CHECK(parameters['g'] == 6'689'345);
  CHECK(parameters['d'] == 6'559'169);
  CHECK(parameters['c'] == 132'746);
  // D; then G; then D, C and G again but for the head d.fc4, which the class loss does not reach
  CHECK(updated == 2 * 6'689'345 + 2 * 6'559'169 + 132'746 - 1025);
  double flops = 0;
  for (const Node& node : graph.nodes())
    if (class_of(node.op) == OpClass::contraction) flops += cost_of(graph, node).flops;
  // 0.497 GFLOP a sample where G runs twice; its second forward pass is the first one's here
  CHECK(flops / 4 < 0.497e9);
  CHECK(flops / 4 > 0.40e9);
}

TEST_CASE("G's forward pass runs once for both phases, and its statistics still move twice") {
  const Graph graph = parts("fp32", "none").build(4).graph;
  CHECK(count(graph, [](const Node& n) {
          return n.op == Op::matmul && n.stage == Stage::forward && n.scope == "g.fc2";
        }) == 1);
  CHECK(count(graph, [](const Node& n) { return n.op == Op::moving_average && n.scope == "g.bn1"; }) == 4);
  CHECK(count(graph, [](const Node& n) {
          return n.op == Op::matmul && n.stage == Stage::forward && n.scope == "d.fc3";
        }) == 4);
}

TEST_CASE("under fp32 the only cast is that of the image bytes") {
  const Graph graph = parts("fp32", "none").build(4).graph;
  CHECK(count(graph, [](const Node& n) { return n.op == Op::cast; }) == 1);
}

TEST_CASE("pain 11: under mixed each version of a weight is cast once an iteration") {
  const Graph graph = parts("mixed", "dynamic").build(4).graph;
  std::map<ValueId, int> casts;
  for (const Node& node : graph.nodes())
    if (node.op == Op::cast) ++casts[node.operands[0]];
  for (const auto& [value, times] : casts) CHECK_MESSAGE(times == 1, graph.describe(value));
  // Adam reads half gradients as they are
  for (const Node& node : graph.nodes())
    if (node.op == Op::adam && node.scope == "g.fc2.weight")
      CHECK(graph.value(node.operands[4]).dtype == DType::bf16);
}

TEST_CASE("weight_gradient = fp32 leaves no half value between a contraction and the update") {
  Options options;
  options.set("weight_gradient", std::string("fp32"));
  const Graph graph = parts("mixed", "dynamic", options).build(4).graph;
  int weights = 0;
  for (const Node& node : graph.nodes())
    if (node.op == Op::adam && node.scope.ends_with(".weight")) {
      CHECK(graph.value(node.operands[4]).dtype == DType::f32);
      CHECK_MESSAGE(graph.node(graph.value(node.operands[4]).producer).op != Op::cast, node.scope);
      ++weights;
    }
  CHECK(weights > 20);
  for (const Node& node : graph.nodes())
    if (node.op == Op::conv2d_weight_gradient) CHECK(graph.value(node.results[0]).dtype == DType::f32);
}

TEST_CASE("a policy is checked against the architecture before an iteration is built") {
  Options options;
  options.set("rules", std::vector<std::string>{"contraction @ x.* = f16"});
  CHECK_THROWS_WITH_AS(parts("rules", "none", options).build(4), doctest::Contains("matches nothing"), Error);
  options.set("rules",
              std::vector<std::string>{"batch_norm_inference @ g.* = f32", "contraction @ d.* = f16"});
  CHECK_NOTHROW(parts("rules", "none", options).build(4));
}

TEST_CASE("outputs and scalers: one per operation, or one for all") {
  const IterationGraph own = parts("mixed", "dynamic").build(4);
  CHECK(own.operations == std::vector<std::string>{"d", "g", "q"});
  for (const char* name : {"loss.d", "scale.g", "skipped.q", "updates.q"})
    CHECK(std::ranges::find(own.graph.outputs(), name, &Port::name) != own.graph.outputs().end());
  CHECK(own.graph.find_state("scaler.d.scale") != nullptr);
  const Graph shared = parts("mixed", "dynamic").build(4, ScalerScope::shared).graph;
  CHECK(shared.find_state("scaler.scale") != nullptr);
  CHECK(shared.find_state("scaler.d.scale") == nullptr);
}

TEST_CASE("the diagnostic graph changes no state and asks every value in order") {
  const DiagnosticGraph diagnostic = build_diagnostic(parts("mixed", "dynamic").build(4).graph);
  for (const State& state : diagnostic.graph.states()) CHECK(state.latest == state.first);
  CHECK(diagnostic.values.size() > 100);
  CHECK(diagnostic.values.size() == diagnostic.graph.outputs().size());
}

TEST_CASE("initial values depend on seed and name only, and have the asked distribution") {
  const State weight{.name = "d.conv1.weight",
                     .dtype = DType::f32,
                     .shape = {100, 200},
                     .initial = {Initial::Kind::truncated_normal, 0.02},
                     .role = StateRole::parameter};
  const auto bytes = initial_value(weight, 547);
  CHECK(bytes == initial_value(weight, 547));
  CHECK(bytes != initial_value(weight, 548));
  std::vector<float> values(20000);
  std::memcpy(values.data(), bytes.data(), bytes.size());
  double sum = 0, squares = 0, most = 0;
  for (const float v : values) sum += v, squares += double{v} * v, most = std::max(most, std::abs(double{v}));
  CHECK(std::abs(sum / 20000) < 5e-4);
  // a normal distribution cut at two standard deviations keeps 0.8796 of its deviation
  CHECK(std::sqrt(squares / 20000) == doctest::Approx(0.02 * 0.8796).epsilon(0.02));
  CHECK(most <= 0.04);
  const State counter{.name = "random",
                      .dtype = DType::i32,
                      .shape = {4},
                      .initial = {Initial::Kind::random_counter, 0},
                      .role = StateRole::counter};
  std::uint32_t words[4];
  std::memcpy(words, initial_value(counter, 0x1'0000'0223).data(), 16);
  CHECK(words[0] == 0x223);
  CHECK(words[1] == 1);
  CHECK(words[2] == 0);
}
