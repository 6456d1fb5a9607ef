// SPDX-License-Identifier: Apache-2.0
// The padding pass: what it pads and what it leaves alone, op by op.
#include "pad_run.hpp"

using namespace halfling;
using namespace halfling::test;

namespace {

Value input(Graph& graph, const char* name, Shape shape) {
  return {&graph, graph.input(name, DType::f32, shape)};
}
Value parameter(Graph& graph, const char* name, Shape shape) {
  return nn::parameter(graph, name, shape, {Initial::Kind::uniform, 1});
}
const Shape& padded_shape(const cudnn::PaddedGraph& padded, std::string_view name) {
  return std::ranges::find(padded.states, name, &cudnn::StateLayout::name)->padded;
}

/// A parameter for each channel of a matrix, [1,C], or one for all.
Value vector(Value h, std::int64_t channels) {
  return reshape(parameter(*h.graph, "b", {channels}), {1, channels});
}
Value channels(Value h) {
  return vector(h, h.shape()[1]);
}
Value one(Value h) {
  return vector(h, 1);
}
/// A parameter of the same shape, which can be padded like h.
Value like(Value h, const char* name) {
  return parameter(*h.graph, name, h.shape());
}
Value spread(Value sums, Value h) {
  return broadcast(sums, h.shape());
}
Value gradient(Value x, Value dy) {
  return {x.graph, x.graph->append_value(Op::leaky_relu_gradient, {x, dy}, SlopeAttributes{0.5})};
}
Value through(Value h, Shape shape) {
  return reshape(leaky_relu(reshape(h, shape), 0.5), h.shape());
}

using Between = Value (*)(Value);

/// A layer with odd channels through `between`, and a layer that reads it: where padding is carried too far,
/// y shows it. h is [3,5].
Graph two_layers(Between between) {
  Graph graph;
  const Value h = between(matmul(input(graph, "x", {3, 4}), parameter(graph, "first", {5, 4}), false, true));
  graph.output("y", matmul(h, parameter(graph, "second", {h.shape()[1], 6})));
  return graph;
}
/// The same, with h [5,6] padded along both axes, and a second layer that adds up over the first.
Graph two_layers_of_rows(Between between) {
  Graph graph;
  const Value h = between(matmul(parameter(graph, "first", {5, 4}), input(graph, "x", {4, 6})));
  graph.output("y", matmul(h, parameter(graph, "second", {7, h.shape()[0]}), true, true));
  return graph;
}

void run(Pair& pair) {
  CHECK(odd_contraction(pair.padded().graph) == "");
  for (std::uint32_t turn = 0; turn < 2; ++turn) {
    pair.draw_inputs(turn);
    pair.run();
  }
}

}  // namespace

TEST_CASE("ops that keep zeros zero keep the padding, all others get the logical value") {
  struct Row {
    const char* name;
    Between between;
    int pads = 1;  ///< 1: of x only; 2: of the second layer's operand too
  };
  const Row rows[] = {
      {"nothing", [](Value h) { return h; }},
      {"leaky_relu", [](Value h) { return leaky_relu(h, 0.2); }},
      {"a scale", [](Value h) { return -2.0 * h; }},
      {"a square", [](Value h) { return h * h; }},
      {"a difference", [](Value h) { return h - leaky_relu(h, 0.5); }},
      {"another value", [](Value h) { return h + like(h, "b"); }},
      {"a bias", [](Value h) { return h + channels(h); }},
      {"a factor for each channel", [](Value h) { return h * channels(h); }},
      {"one factor", [](Value h) { return h * one(h); }},
      {"a factor for each row",
       [](Value h) {
         return h * input(*h.graph, "r", {h.shape()[0], 1});
       }},
      {"batch norm", [](Value h) { return nn::batch_norm(h, "n", {}, nn::Mode::training); }},
      {"its inference", [](Value h) { return nn::batch_norm(h, "n", {}, nn::Mode::inference); }},
      {"casts", [](Value h) { return cast(cast(h, DType::f16), DType::f32); }},
      {"a gradient", [](Value h) { return gradient(h, like(h, "b")); }},
      {"a root", [](Value h) { return sqrt(h * h); }},
      {"a switch",
       [](Value h) {
         return select({h.graph, h.graph->input("c", DType::boolean, {})}, h, 0.5 * h);
       }},
      {"an image",
       [](Value h) {
         return through(h, {h.shape()[0], h.shape()[1], 1, 1});
       }},
      {"other rows",
       [](Value h) {
         return concat({slice(h, 0, 2, 1), slice(h, 0, 0, 2)}, 0);
       }},
      {"a sum of rows", [](Value h) { return sum(h, 0b1); }},
      {"a row for all", [](Value h) { return spread(sum(h, 0b1), h); }},
      {"a count", [](Value h) { return h.graph->output("n", exponent_histogram(h)), h; }},
      {"a check", [](Value h) { return h.graph->output("bad", any_nonfinite(*h.graph, {h})), h; }},
      {"concat",
       [](Value h) {
         return concat({h, h}, 1);
       },
       2},
      {"slice", [](Value h) { return slice(h, 1, 1, 3); }, 2},
      {"a sum of channels", [](Value h) { return sum(h, 0b10); }, 2},
      {"a channel for all", [](Value h) { return spread(sum(h, 0b10), h); }, 2},
      {"a layer for all",
       [](Value h) {
         return spread(matmul(h, parameter(*h.graph, "w", {h.shape()[1], 1})), h);
       },
       2},
      {"relu", [](Value h) { return relu(h); }, 2},
      {"a shift", [](Value h) { return h + 1.0; }, 2},
      {"one bias", [](Value h) { return h + one(h); }, 2},
      {"one gradient", [](Value h) { return gradient(h, one(h)); }, 2},
      {"sigmoid", [](Value h) { return sigmoid(h); }, 2},
      {"tanh", [](Value h) { return tanh(h); }, 2},
      {"exp", [](Value h) { return exp(h); }, 2},
      {"softmax", [](Value h) { return softmax(h); }, 2},
      {"a quotient", [](Value h) { return h / (-2.0 * h); }, 2},
      {"a bound",
       [](Value h) {
         return maximum(h, constant(*h.graph, 0.25, {1, 1}));
       },
       2},
      {"a real reshape",
       [](Value h) {
         return through(h, {h.shape()[1], h.shape()[0]});
       },
       2},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    Pair pair(two_layers(row.between));
    CHECK(pads_in(pair.padded().graph) == row.pads);
    run(pair);
    if (std::string_view(row.name) == "other rows" || std::string_view(row.name) == "a sum of rows") continue;
    Pair rows_too(two_layers_of_rows(row.between));
    run(rows_too);
  }
}

TEST_CASE("a reshape that moves elements between channels does not keep the padding") {
  Pair pair(two_layers([](Value h) { return reshape(sum(reshape(h, {1, 5, 3, 1}), 0b100), {1, 5}); }));
  CHECK(pads_in(pair.padded().graph) == 2);
  run(pair);
}

// In the padded graph 0 * inf is a NaN behind a row of infinities. No op may let it out where the logical
// graph makes something finite of them.
TEST_CASE("an infinity that becomes finite again does so when padded") {
  const Between rows[] = {
      [](Value h) { return tanh(h); },
      [](Value h) { return sigmoid(h); },
      [](Value h) { return relu(-1.0 * (h * h)); },
      [](Value h) {
        const Value kept = -1.0 * (like(h, "a") * like(h, "a"));
        return Value{h.graph, h.graph->append_value(Op::leaky_relu_gradient, {kept, h}, SlopeAttributes{})};
      },
      [](Value h) { return exp(-1.0 * (h * h)); },
      [](Value h) { return maximum(minimum(h, like(h, "a")), like(h, "b")); },
      [](Value h) { return select(less(like(h, "a"), h * h), like(h, "b"), h); },
  };
  for (const Between between : rows) {
    Pair pair(two_layers(between));
    pair.draw_inputs(0);
    std::vector<float> x(12);
    x[0] = infinity;
    pair.write("x", bytes_of(x));
    pair.run();
    CHECK(std::isfinite(pair.output("y")));
  }
}

TEST_CASE("a graph that needs no padding comes out unchanged") {
  Graph graph;
  const Value x = input(graph, "x", {3, 8, 4, 4});
  Value h =
      nn::batch_norm(conv2d(x, parameter(graph, "w", {16, 8, 3, 3}), 1, 1), "n", {}, nn::Mode::training);
  h = matmul(reshape(tanh(h), {3, 256}), parameter(graph, "v", {256, 8}));
  graph.output("y", h + reshape(parameter(graph, "b", {8}), {1, 8}));
  graph.output("z", softmax(input(graph, "odd", {3, 5}) + reshape(parameter(graph, "c", {5}), {1, 5})));
  const cudnn::PaddedGraph padded = cudnn::pad(graph);
  CHECK(text(padded.graph) == text(graph));
  for (const cudnn::StateLayout& state : padded.states) CHECK(state.padded == state.logical);
}

TEST_CASE("a value is padded once, and a concat is extended") {
  Graph graph;
  const Value x = input(graph, "x", {3, 3, 6, 6});
  for (const char* name : {"a", "b"}) {
    const std::string kernel = std::string("kernel ") + name;
    graph.output(name, conv2d(x, parameter(graph, kernel.c_str(), {8, 3, 3, 3}), 1, 1));
  }
  const Value joined = concat({input(graph, "z", {3, 6}), input(graph, "hot", {3, 3})}, 1);
  graph.output("c", matmul(cast(joined, DType::f16), cast(parameter(graph, "w", {9, 8}), DType::f16)));
  Pair pair(graph);
  CHECK(pads_in(pair.padded().graph) == 2);
  CHECK(std::ranges::count(pair.padded().graph.nodes(), Op::concat, &Node::op) == 2);
  pair.draw_inputs(0);
  pair.run();
}

TEST_CASE("only states that a contraction needs are padded, and what lies beside them") {
  Graph graph;
  const Value h = matmul(input(graph, "x", {3, 4}), parameter(graph, "first", {5, 4}), false, true);
  const Value n =
      nn::batch_norm(h + reshape(parameter(graph, "bias", {5}), {1, 5}), "n", {}, nn::Mode::training);
  const Value y =
      matmul(n * reshape(parameter(graph, "scale", {1}), {1, 1}), parameter(graph, "head", {5, 1}));
  graph.output("y", y + reshape(parameter(graph, "head bias", {1}), {1, 1}));
  const Value thin = matmul(input(graph, "v", {3, 4}), parameter(graph, "to one", {4, 1}));
  graph.output("u", matmul(thin * reshape(parameter(graph, "factor", {1}), {1, 1}),
                           parameter(graph, "from one", {1, 6})));
  const State scaler{.name = "scaler", .shape = {5, 4}, .initial = {}, .role = StateRole::scaler};
  graph.output("w", matmul(input(graph, "s", {3, 4}), state(graph, scaler), false, true));
  graph.output("z", exp(parameter(graph, "alone", {5, 3})));
  Pair pair(graph);
  const auto shape = [&](std::string_view name) { return padded_shape(pair.padded(), name).text(); };
  CHECK(shape("first") == "[8, 8]");
  for (const char* name : {"bias", "n.weight", "n.bias", "n.running_mean", "n.running_var"})
    CHECK(shape(name) == "[8]");
  CHECK(shape("head") == "[8, 8]");
  CHECK(shape("head bias") == "[1]");
  CHECK(shape("scale") == "[1]");
  CHECK(shape("to one") == "[8, 8]");
  CHECK(shape("factor") == "[1]");
  CHECK(shape("scaler") == "[5, 4]");
  CHECK(shape("alone") == "[5, 3]");
  pair.draw_inputs(0);
  pair.run();
}

TEST_CASE("a batch norm without epsilon sees its own channels only") {
  const Between rows[] = {
      [](Value h) { return nn::batch_norm(h, "n", {.epsilon = 0}, nn::Mode::training); },
      [](Value h) { return nn::batch_norm(h, "n", {.epsilon = 1e-60}, nn::Mode::training); },
  };
  for (const Between between : rows) {
    Pair pair(two_layers(between));
    CHECK(pads_in(pair.padded().graph) == 2);
    run(pair);
  }
}

TEST_CASE("states that exist keep their layout in another graph") {
  Graph graph;
  const Value w = parameter(graph, "w", {5, 4});
  graph.output("y", matmul(input(graph, "x", {3, 4}), w, false, true));
  const auto layout = [](Shape padded) { return cudnn::StateLayout{"w", DType::f32, {5, 4}, padded}; };
  for (const Shape& known : {Shape{5, 4}, Shape{8, 4}, Shape{5, 8}, Shape{8, 8}}) {
    const cudnn::StateLayout layouts[] = {{"other", DType::f32, {1}, {1}}, layout(known)};
    Pair pair(graph, layouts);
    CHECK(padded_shape(pair.padded(), "w") == known);
    CHECK(odd_contraction(pair.padded().graph) == "");
    pair.draw_inputs(0);
    pair.run();
  }
  for (const cudnn::StateLayout& wrong :
       {layout({16, 4}), layout({8, 8, 1}), cudnn::StateLayout{"w", DType::f16, {5, 4}, {8, 8}},
        cudnn::StateLayout{"w", DType::f32, {4, 5}, {8, 8}}})
    CHECK_THROWS_AS(cudnn::pad(graph, {&wrong, 1}), Error);
}

TEST_CASE("a state is copied element by element") {
  const cudnn::StateLayout layout{"w", DType::i32, {2, 3, 1, 2}, {3, 4, 1, 2}};
  const std::vector<std::int32_t> logical{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  std::vector<std::int32_t> padded(24, -1), back(12);
  cudnn::pad_state(layout, std::as_bytes(std::span(logical)), std::as_writable_bytes(std::span(padded)));
  CHECK(padded ==
        std::vector<std::int32_t>{1, 2, 3, 4, 5, 6, 0, 0, 7, 8, 9, 10, 11, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  cudnn::unpad_state(layout, std::as_bytes(std::span(padded)), std::as_writable_bytes(std::span(back)));
  CHECK(back == logical);
  CHECK_THROWS_AS(cudnn::pad_state(layout, {}, std::as_writable_bytes(std::span(padded))), Error);
  CHECK_THROWS_AS(cudnn::unpad_state(layout, std::as_bytes(std::span(padded)), {}), Error);

  const cudnn::StateLayout vector{"b", DType::u8, {3}, {8}}, scalar{"s", DType::f16, {}, {}};
  std::vector<std::byte> eight(8, std::byte{9}), two(2);
  cudnn::pad_state(vector, std::as_bytes(std::span("abc", 3)), eight);
  CHECK(std::memcmp(eight.data(), "abc\0\0\0\0\0", 8) == 0);
  cudnn::pad_state(scalar, std::as_bytes(std::span("xy", 2)), two);
  CHECK(std::memcmp(two.data(), "xy", 2) == 0);
}
