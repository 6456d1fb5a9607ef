// SPDX-License-Identifier: Apache-2.0
#include "halfling/graph.hpp"

#include <doctest/doctest.h>

#include "graph/passes.hpp"
#include "halfling/cost.hpp"
#include "halfling/error.hpp"
#include "halfling/nn.hpp"

using namespace halfling;

namespace {

Value input(Graph& graph, const char* name, Shape shape, DType dtype = DType::f32) {
  return {&graph, graph.input(name, dtype, shape)};
}

State scalar_state(const char* name) {
  return {.name = name, .dtype = DType::f32, .shape = {}, .initial = {}, .role = StateRole::scaler};
}

std::string message(auto&& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("result shapes follow from the operands") {
  Graph graph;
  const Value x = input(graph, "x", {8, 3, 28, 28});
  CHECK(conv2d(x, input(graph, "w", {16, 3, 4, 4}), 2, 1).shape() == Shape{8, 16, 14, 14});
  CHECK(conv2d_transpose(x, input(graph, "t", {3, 5, 4, 4}), 2, 1).shape() == Shape{8, 5, 56, 56});
  const Value a = input(graph, "a", {8, 5}), b = input(graph, "b", {7, 5});
  CHECK(matmul(a, b, false, true).shape() == Shape{8, 7});
  CHECK(matmul(b, a, false, true).shape() == Shape{7, 8});
  CHECK(sum(x, 0b1101).shape() == Shape{1, 3, 1, 1});
  CHECK(mean(x).shape() == Shape{});
  CHECK((x + input(graph, "bias", {1, 3, 1, 1})).shape() == x.shape());
  CHECK(concat({a, b}, 0).shape() == Shape{15, 5});
  CHECK(slice(x, 1, 1, 2).shape() == Shape{8, 2, 28, 28});
}

TEST_CASE("operands that do not fit are refused, naming layer, op, got and expected") {
  Graph graph;
  const Scope scope(graph, "d.fc3");
  const Value a = input(graph, "a", {8, 5});
  const std::string text = message([&] { matmul(a, a); });
  CHECK(has(text, "d.fc3"));
  CHECK(has(text, "matmul"));
  CHECK(has(text, "f32 [8, 5], f32 [8, 5]"));
  CHECK(has(text, "equal inner extents"));
  CHECK_THROWS_AS(matmul(a, cast(input(graph, "b", {5, 8}), DType::f16)), Error);
  CHECK_THROWS_AS(reshape(a, {41}), Error);
  CHECK_THROWS_AS(cast(a, DType::i32), Error);
  CHECK_THROWS_AS(input(graph, "a", {9, 5}), Error);
  CHECK_THROWS_AS(a + input(graph, "c", {5}), Error);
}

TEST_CASE("a state has versions; the last one assigned is what a run leaves behind") {
  Graph graph;
  const Value first = state(graph, scalar_state("scale"));
  graph.assign("scale", 2.0 * first);
  const Value second = state(graph, scalar_state("scale"));
  CHECK(second.id != first.id);
  CHECK(graph.find_state("scale")->first == first.id);
  CHECK(graph.find_state("scale")->latest == second.id);
  CHECK_THROWS_AS(graph.assign("scal", second), Error);
  CHECK_THROWS_AS(graph.assign("scale", input(graph, "x", {3})), Error);
  CHECK_NOTHROW(verify(graph));
}

TEST_CASE("reading an old version of a state after its update is an invalid graph") {
  Graph graph;
  const Value first = state(graph, scalar_state("scale"));
  graph.assign("scale", 2.0 * first);
  graph.output("late", 3.0 * first);
  CHECK(has(message([&] { verify(graph); }), "scale"));
}

TEST_CASE("an output may not be an old version of a state: updates may have overwritten it") {
  Graph graph;
  const Value first = state(graph, scalar_state("scale"));
  graph.output("before", first);
  CHECK_NOTHROW(verify(graph));
  graph.assign("scale", 2.0 * first);
  CHECK(has(message([&] { verify(graph); }), "scale"));
}

TEST_CASE("a version between is read no later than the update that replaces it") {
  const auto chain = [](auto&& read) {
    Graph graph;
    const Value first = state(graph, scalar_state("average")), x = input(graph, "x", {});
    const auto updated = [&](Value old) {
      return Value{&graph, graph.append_value(Op::moving_average, {old, x}, MovingAverageAttributes{})};
    };
    const Value between = updated(first);
    graph.assign("average", between);
    read(graph, between, false);
    const Value latest = updated(between);
    graph.assign("average", latest);
    read(graph, between, true);
    return message([&] { verify(graph); });
  };
  CHECK(chain([](Graph&, Value, bool) {}).empty());
  CHECK(chain([](Graph& graph, Value v, bool late) {
          if (!late) graph.output("early", 2.0 * v);
        }).empty());
  CHECK(has(chain([](Graph& graph, Value v, bool late) {
              if (late) graph.output("late", 2.0 * v);
            }),
            "average"));
  CHECK(has(chain([](Graph& graph, Value v, bool late) {
              if (late) graph.output("itself", v);
            }),
            "average"));
}

TEST_CASE("what an ordinary op makes stays a value, also when the state has moved on") {
  Graph graph;
  const Value between = 2.0 * state(graph, scalar_state("scale"));
  graph.assign("scale", between);
  graph.assign("scale", 2.0 * between);
  graph.output("late", 3.0 * between);
  CHECK_NOTHROW(verify(graph));
}

TEST_CASE("a second declaration of a state must agree in everything") {
  Graph graph;
  const State declared{.name = "s",
                       .dtype = DType::f32,
                       .shape = {3},
                       .initial = {Initial::Kind::normal, 0.5},
                       .role = StateRole::statistic};
  const ValueId first = graph.state(declared);
  CHECK(graph.state(declared) == first);
  const auto declare = [&](auto&& change) {
    State other = declared;
    change(other);
    return message([&] { graph.state(other); });
  };
  const std::string role = declare([](State& s) { s.role = StateRole::parameter; });
  CHECK(has(role, "got: parameter f32 [3], at first normal 0.5"));
  CHECK(has(role, "expected: statistic f32 [3], at first normal 0.5"));
  CHECK(has(declare([](State& s) { s.initial.value = 1; }), "declared twice"));
  CHECK(has(declare([](State& s) { s.initial.kind = Initial::Kind::constant; }), "declared twice"));
  CHECK(has(declare([](State& s) { s.dtype = DType::f64; }), "declared twice"));
  CHECK(has(declare([](State& s) { s.shape = {4}; }), "declared twice"));
}

TEST_CASE("an op that does not exist is refused") {
  Graph graph;
  const auto unknown = static_cast<Op>(op_count);
  CHECK(has(message([&] { graph.append(unknown, {}); }), "there is no such op"));
  CHECK(name_of(unknown) == "unknown");
}

TEST_CASE("appending a graph threads states through and maps inputs") {
  Graph part;
  const Value x = input(part, "x", {2});
  const Value count = state(part, scalar_state("total"));
  part.assign("total", count + reshape(sum(x, 1), {}));
  Graph whole;
  const ValueId given = whole.input("other", DType::f32, {2});
  append_graph(whole, part, {{"x", given}});
  const ValueId after_one = whole.find_state("total")->latest;
  const auto map = append_graph(whole, part, {{"x", given}});
  CHECK(map[static_cast<std::size_t>(count.id)] == after_one);
  CHECK(whole.find_state("total")->latest != after_one);
  CHECK(has(message([&] { append_graph(whole, part, {}); }), "needs an input named x"));
}

TEST_CASE("simplify merges equal nodes, drops dead ones, and removes what does nothing") {
  Graph graph;
  const Value x = input(graph, "x", {4});
  const Value half = cast(x, DType::bf16);
  const Value once = cast(half, DType::f32), twice = cast(cast(x, DType::bf16), DType::f32);
  graph.output("sum", (1.0 * detach(once)) + twice);
  graph.output("same", cast(cast(half, DType::f32), DType::bf16));
  exp(x);
  const Graph simple = simplify(graph);
  CHECK_NOTHROW(verify(simple));
  // input, cast to bf16, cast back, add
  CHECK(simple.nodes().size() == 4);
  CHECK(simple.node(simple.value(simple.outputs()[1].value).producer).op == Op::cast);
}

TEST_CASE("simplify keeps a cast that loses digits") {
  Graph graph;
  const Value x = input(graph, "x", {4});
  graph.output("rounded", cast(cast(x, DType::f16), DType::f32));
  graph.output("other", cast(cast(cast(x, DType::f16), DType::f32), DType::bf16));
  CHECK(simplify(graph).nodes().size() == 4);
}

TEST_CASE("simplify rounds a constant to its own format before it casts it") {
  Graph graph;
  // f32 has 1 + 2^-11, the middle between two values of f16, of which 1 is the even one
  graph.output("y", cast(constant(graph, 1 + 0x1p-11 + 0x1p-40), DType::f16));
  const Graph simple = simplify(graph);
  const Node& node = simple.node(simple.value(simple.outputs()[0].value).producer);
  REQUIRE(node.op == Op::constant);
  CHECK(std::get<ConstantAttributes>(node.attributes).value == 1);
}

TEST_CASE("a contraction's cost is two per multiply-add") {
  Graph graph;
  const Value x = input(graph, "x", {2, 3, 8, 8}), w = input(graph, "w", {5, 3, 4, 4});
  const Value y = conv2d(x, w, 2, 1);
  const double flops = 2.0 * 2 * 5 * 4 * 4 * 3 * 16;
  const auto cost = [&](ValueId id) { return cost_of(graph, graph.node(graph.value(id).producer)); };
  CHECK(cost(y).flops == flops);
  CHECK(cost(graph.append_value(Op::conv2d_input_gradient, {y, w}, ConvAttributes{2, 1, 8, 8})).flops ==
        flops);
  CHECK(cost(graph.append_value(Op::conv2d_weight_gradient, {x, y}, ConvAttributes{2, 1, 4, 4})).flops ==
        flops);
  CHECK(cost(matmul(input(graph, "a", {2, 3}), input(graph, "b", {5, 3}), false, true)).flops ==
        2.0 * 2 * 3 * 5);
  CHECK(cost(y).bytes == 4.0 * (2 * 3 * 64 + 5 * 3 * 16 + 2 * 5 * 16));
}

TEST_CASE("layers name their parameters after the layer") {
  Graph graph;
  const Value x = input(graph, "x", {4, 8});
  nn::batch_norm(nn::linear(x, "g.fc1", 16), "g.bn1", {}, nn::Mode::training);
  for (const char* name : {"g.fc1.weight", "g.fc1.bias", "g.bn1.weight", "g.bn1.bias", "g.bn1.running_mean",
                           "g.bn1.running_var"})
    CHECK(graph.find_state(name) != nullptr);
  CHECK(graph.find_state("g.fc1.weight")->shape == Shape{16, 8});
  const State* variance = graph.find_state("g.bn1.running_var");
  const Node& average = graph.node(graph.value(variance->latest).producer);
  CHECK(std::get<MovingAverageAttributes>(average.attributes).correction == doctest::Approx(4.0 / 3));
}
