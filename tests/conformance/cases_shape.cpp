// SPDX-License-Identifier: Apache-2.0
// Ops that move or convert values: exact.
#include <fmt/format.h>

#include "case.hpp"

namespace halfling::conformance {
namespace {

Case moved(std::string name, Shape shape, std::function<Value(Value)> move) {
  return {.name = std::move(name),
          .build =
              [shape, move = std::move(move)](Builder& b) {
                const Value x = b.input("x", shape);
                b.check("y", move(x), {x});
              },
          .order = 2};
}

Case reshaped(Shape from, Shape to) {
  return moved(fmt::format("reshape/{}-to-{}", from.text(), to.text()), from,
               [to](Value x) { return reshape(x, to); });
}

Case broadcasted(const char* name, Shape from, Shape to) {
  return moved(fmt::format("broadcast/{}", name), from, [to](Value x) { return broadcast(x, to); });
}

Case sliced(const char* name, Shape shape, int axis, std::int64_t begin, std::int64_t length) {
  return moved(fmt::format("slice/{}", name), shape, [=](Value x) { return slice(x, axis, begin, length); });
}

Case concatenated(const char* name, Shape a, Shape second, int axis) {
  return {.name = fmt::format("concat/{}", name),
          .build =
              [=](Builder& b) {
                const Value x = b.input("a", a);
                const Value y = b.input("b", second);
                b.check("y", concat({x, y, x}, axis), {x, y});
              },
          .order = 2};
}

/// Zeros are what pads consist of; -0 and others are numbers like any.
Case concatenated_constants(const char* name, Shape shape, int axis) {
  return {.name = fmt::format("concat/{}", name),
          .build =
              [=](Builder& b) {
                const Value x = b.input("x", shape);
                const auto filled = [&](double value) { return constant(b.graph, value, shape, b.io()); };
                b.check("padded", concat({x, filled(0)}, axis), {x});
                b.check("y", concat({filled(0), x, filled(-0.0), filled(0.5), x, filled(0)}, axis), {x});
                const Value signs = cast(concat({x, filled(-0.0)}, axis), b.wide());
                b.output("signs", constant(b.graph, 1, signs.shape(), b.wide()) / signs);
              },
          .order = 2};
}

void concatenate_many(Builder& b) {
  const Value x = b.input("x", {5, 3}), y = b.input("y", {5, 2});
  std::vector<Value> parts;
  for (int i = 0; i < 300; ++i)
    parts.push_back(i % 3 == 0 ? x : i % 3 == 1 ? y : constant(b.graph, 0, {5, 1}, b.io()));
  b.check("z", concat(parts, 1), {x, y});
}

/// From the wide format to the one under test and back, with values that need rounding; gradients cast back
/// too.
void cast_there_and_back(Builder& b) {
  const Value x = b.input("x", b.wide(), {257}, reals(-100, 100));
  const Value there = cast(x, b.io());
  b.check("there", there);
  b.check("back", cast(there, b.wide()) + b.input("more", b.wide(), {257}, integers(3)), {x});
}

void cast_bytes(Builder& b) {
  const Value x = b.input("x", DType::u8, {2, 1, 5, 3}, list({0, 1, 127, 128, 255, 77}));
  b.check("y", cast(x, b.io()));
}

/// Whole numbers beyond 2^24, which f32 cannot hold, on both sides of what a half format rounds up and down;
/// stored, and read by the loop that makes them.
void cast_integers(Builder& b) {
  std::vector<double> values{0, 1, -1, 255, 256, 257, 2049, -2051, 65504, 65519, 65520, -65520};
  for (const double size : {0x1p24, 0x1p25, 0x1.02p27, 0x1.8p28, 0x1.fep29, 0x1p30})
    for (const double half : {0x1p16, 0x3p16, 0x1p21, 0x3p21})
      for (const double more : {-1.0, 0.0, 1.0, -129.0, 129.0})
        for (const double sign : {-1.0, 1.0}) values.push_back(sign * (size + half + more));
  values.insert(values.end(), {2147483647, -2147483648.0, 16842753, -16842753, 16777217});
  const auto count = static_cast<std::int64_t>(values.size());
  const Value x = cast(b.input("x", DType::i32, {count}, list(values)), b.io());
  b.output("y", x);
  b.output("twice", x + x);
}

/// Numbers of double that f32 would round onto the middle between two of a half format.
void build_near_middle(Builder& b) {
  const Value x = b.input("x", {5}, list({0}));
  for (const double value : {1 + 0x1p-11 + 0x1p-40, 1 + 0x1p-8 + 0x1p-40, -1 - 0x3p-11 + 0x1p-40}) {
    b.output(fmt::format("alone {}", value), constant(b.graph, value, {5}, b.io()));
    b.output(fmt::format("added {}", value), x + constant(b.graph, value, {5}, b.io()));
  }
}

void build_one_hot(Builder& b) {
  b.check("y", one_hot(b.input("labels", DType::i32, {7}, list({0, 9, 3, 3})), 10));
}

void build_detach(Builder& b) {
  const Value x = b.input("x", {4, 5});
  b.check("y", detach(x) * x, {x});
}

void build_constant(Builder& b) {
  const Value x = b.input("x", {3, 4});
  b.check("y", x + constant(b.graph, 0.3, {3, 4}, b.io()));
  b.output("alone", constant(b.graph, -2, {5}, b.io()));
}

}  // namespace

std::vector<Case> shape_cases() {
  return {
      reshaped({3, 2 * 7 * 7}, {3, 2, 7, 7}),
      reshaped({3, 5, 2, 2}, {3, 20}),
      reshaped({2, 32, 4, 4}, {2, 512}),
      reshaped({5}, {1, 5, 1, 1}),
      reshaped({1, 1}, {}),
      reshaped({}, {1, 1, 1, 1}),
      broadcasted("rows", {1, 7}, {5, 7}),
      broadcasted("channels", {1, 3, 1, 1}, {2, 3, 4, 5}),
      broadcasted("one-element", {1, 1, 1, 1}, {3, 2, 5, 4}),
      broadcasted("columns", {6, 1}, {6, 9}),
      sliced("rows", {6, 5}, 0, 2, 3),
      sliced("columns", {6, 17}, 1, 5, 10),
      sliced("channels", {2, 7, 3, 3}, 1, 0, 4),
      sliced("images", {5, 3, 4, 4}, 0, 4, 1),
      sliced("last-axis", {2, 3, 4, 5}, 3, 1, 3),
      sliced("everything", {4, 4}, 1, 0, 4),
      concatenated("columns", {4, 10}, {4, 3}, 1),
      concatenated("rows", {4, 10}, {1, 10}, 0),
      concatenated("channels", {2, 3, 5, 4}, {2, 1, 5, 4}, 1),
      concatenated("images", {2, 16, 3, 3}, {3, 16, 3, 3}, 0),
      concatenated_constants("constant-channels", {2, 3, 5, 4}, 1),
      concatenated_constants("constant-rows", {3, 7}, 0),
      concatenated_constants("constant-columns", {16, 8}, 1),
      {.name = "concat/many", .build = concatenate_many},
      {.name = "cast/there-and-back", .build = cast_there_and_back},
      {.name = "cast/bytes", .build = cast_bytes},
      {.name = "cast/integers", .build = cast_integers},
      {.name = "constant/near-middle", .build = build_near_middle},
      {.name = "one_hot/rows", .build = build_one_hot, .formats = Formats::once},
      {.name = "detach/product", .build = build_detach},
      {.name = "constant/added", .build = build_constant},
  };
}

}  // namespace halfling::conformance
