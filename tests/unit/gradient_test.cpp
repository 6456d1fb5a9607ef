// SPDX-License-Identifier: Apache-2.0
// The structure of gradient graphs; their values are tested by finite differences in tests/conformance.
#include "halfling/gradient.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "halfling/builder.hpp"
#include "halfling/error.hpp"

using namespace halfling;

namespace {

Value input(Graph& graph, const char* name, Shape shape) {
  return {&graph, graph.input(name, DType::f32, shape)};
}

std::vector<ValueId> gradients(Graph& graph, Value loss, std::vector<ValueId> targets) {
  const std::vector<ValueId> losses{loss}, seeds{constant(graph, 1)};
  return gradient(graph, losses, seeds, targets);
}

}  // namespace

TEST_CASE("only what reaches a target is differentiated") {
  Graph graph;
  const Value x = input(graph, "x", {4, 3}), w = input(graph, "w", {2, 3}), unused = input(graph, "u", {1});
  const auto found = gradients(graph, mean(matmul(x, w, false, true)), {w, unused});
  CHECK(graph.value(found[0]).shape == w.shape());
  CHECK(found[1] == no_value);
}

TEST_CASE("detach stops the walk") {
  Graph graph;
  const Value x = input(graph, "x", {4});
  CHECK(gradients(graph, mean(detach(x)), {x})[0] == no_value);
  CHECK(gradients(graph, mean(x * detach(x)), {x})[0] != no_value);
}

TEST_CASE("a gradient has the shape of the operand that was broadcast") {
  for (const auto& [a, b] : {std::pair<Shape, Shape>{{2, 3}, {1, 3}}, {{2, 1}, {1, 3}}, {{1, 1}, {2, 3}}})
    for (const Op op : {Op::add, Op::subtract, Op::multiply, Op::divide, Op::minimum, Op::maximum,
                        Op::leaky_relu_gradient}) {
      CAPTURE(name_of(op));
      Graph graph;
      const Value x = input(graph, "x", a), y = input(graph, "y", b);
      const Attributes slope = op == Op::leaky_relu_gradient ? Attributes{SlopeAttributes{}} : Attributes{};
      const auto found = gradients(graph, mean({&graph, graph.append_value(op, {x, y}, slope)}), {x, y});
      if (found[0] != no_value) CHECK(graph.value(found[0]).shape == a);
      CHECK(graph.value(found[1]).shape == b);
    }
}

TEST_CASE("a target inside the graph gets the gradient at that point") {
  Graph graph;
  const Value x = input(graph, "x", {4});
  const Value middle = exp(x);
  const auto found = gradients(graph, mean(middle * middle), {middle, x});
  CHECK(found[0] != no_value);
  CHECK(found[1] != no_value);
}

TEST_CASE("the gradient of a cast casts back") {
  Graph graph;
  const Value w = input(graph, "w", {4});
  const Value loss = mean(cast(cast(w, DType::f16), DType::f32));
  const ValueId found = gradients(graph, loss, {w})[0];
  CHECK(graph.value(found).dtype == DType::f32);
  const Node& back = graph.node(graph.value(found).producer);
  CHECK(back.op == Op::cast);
  CHECK(graph.value(back.operands[0]).dtype == DType::f16);
}

TEST_CASE("a missing rule names the op") {
  Graph graph;
  const Value p = input(graph, "p", {4}), s = constant(graph, 1);
  const Value step{&graph, graph.input("step", DType::i32, {})},
      skip{&graph, graph.input("skip", DType::boolean, {})};
  const Value updated{&graph, graph.append_value(Op::adam, {p, p, p, step, p, s, skip, s}, AdamAttributes{})};
  try {
    gradients(graph, mean(updated), {p});
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(std::string(error.what()).find("adam has no gradient rule") != std::string::npos);
  }
}

TEST_CASE("gradient nodes carry the forward node's layer, and are marked backward") {
  Graph graph;
  const Value x = input(graph, "x", {4, 3}), w = input(graph, "w", {2, 3});
  Value loss;
  {
    const Scope scope(graph, "d.fc3");
    loss = mean(matmul(x, w, false, true));
  }
  const auto before = graph.nodes().size();
  const std::vector<ValueId> losses{loss}, seeds{constant(graph, 1)}, targets{w};
  gradient(graph, losses, seeds, targets);
  const auto matmuls = std::ranges::count_if(graph.nodes(), [](const Node& node) {
    return node.op == Op::matmul && node.stage == Stage::backward && node.scope == "d.fc3";
  });
  CHECK(graph.nodes().size() > before);
  CHECK(matmuls >= 1);
}

TEST_CASE("a seed that is unlike its loss is refused") {
  Graph graph;
  const Value x = input(graph, "x", {4});
  const std::vector<ValueId> losses{mean(x)}, seeds{constant(graph, 1, {1})}, targets{x};
  CHECK_THROWS_AS(gradient(graph, losses, seeds, targets), Error);
}
