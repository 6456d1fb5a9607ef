// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "graph/passes.hpp"
#include "halfling/builder.hpp"
#include "halfling/gradient.hpp"
#include "run/safetensors.hpp"
#include "runner.hpp"
#include "suite.hpp"

namespace halfling::conformance {
namespace {

/// A tensor of the file as a value of this format.
HostValue stored(const SafetensorsFile& file, const std::string& name, DType dtype) {
  HostValue value(dtype, {file.info(name).elements()});
  const auto bytes = file.bytes(name);
  value.bytes.assign(bytes.begin(), bytes.end());
  return value;
}

/// Where a value of an iteration becomes half; each path leaves it in the output "rounded".
enum class RoundingPath { weight, activation, gradient, constant };

constexpr std::pair<const char*, RoundingPath> paths[] = {{"weight", RoundingPath::weight},
                                                          {"activation", RoundingPath::activation},
                                                          {"gradient", RoundingPath::gradient},
                                                          {"constant", RoundingPath::constant}};

/// The gradient for a half value that is widened: the gradient that arrives, narrowed.
Value narrowed_gradient(Builder& b, Value arriving, DType half) {
  const Value h = b.input("h", half, arriving.shape(), list({1}));
  const std::vector<ValueId> losses{cast(h, DType::f32)}, seeds{arriving}, targets{h};
  return {&b.graph, gradient(b.graph, losses, seeds, targets)[0]};
}

/// Constants of f32 that are cast, which simplify() turns into half constants.
Value folded_constants(Builder& b, const std::vector<double>& values, DType half) {
  std::vector<Value> parts;
  for (const double value : values) parts.push_back(cast(constant(b.graph, value, {1}), half));
  return concat(parts, 0);
}

Value rounded(Builder& b, RoundingPath path, const std::vector<double>& values, DType half) {
  const Shape shape{static_cast<std::int64_t>(values.size())};
  switch (path) {
    case RoundingPath::weight:
      return cast(b.state("w", DType::f32, shape, list(values)), half);
    case RoundingPath::activation:
      return cast(
          b.input("x", DType::f32, shape, list(values)) * b.input("one", DType::f32, shape, list({1})), half);
    case RoundingPath::gradient:
      return narrowed_gradient(b, b.input("x", DType::f32, shape, list(values)), half);
    case RoundingPath::constant:
      return folded_constants(b, values, half);
  }
  return {};
}

Case rounding_case(RoundingPath path, std::vector<double> values, DType half) {
  return {.name = "rounding", .build = [path, half, values = std::move(values)](Builder& b) {
            const Value result = rounded(b, path, values, half);
            b.output("rounded", result);
            b.output("back", cast(result, DType::f32));
            if (path == RoundingPath::constant) b.graph = simplify(b.graph);
          }};
}

/// Every bit must agree, except that any NaN may stand for a NaN.
std::string bit_difference(const HostValue& got, const HostValue& expected) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (std::isnan(got.at(i)) && std::isnan(expected.at(i))) continue;
    const std::size_t width = size_of(expected.dtype);
    if (std::memcmp(got.bytes.data() + i * width, expected.bytes.data() + i * width, width) != 0)
      return fmt::format("\n  {} at {}: got {}, expected {}", name_of(got.dtype), i, got.at(i),
                         expected.at(i));
  }
  return {};
}

/// Every value of the file; of constants, which are a node each, every 257th, and both zeros.
std::vector<std::size_t> chosen(const HostValue& values, RoundingPath path) {
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (path != RoundingPath::constant || i % 257 == 0 || values.at(i) == 0) indices.push_back(i);
  return indices;
}

std::string check(Backend& tested, const std::filesystem::path& path, const char* tensor, DType half,
                  RoundingPath way) {
  const SafetensorsFile file(path);
  const HostValue values = stored(file, "float32", DType::f32), all = stored(file, tensor, half);
  const std::vector<std::size_t> indices = chosen(values, way);
  const Shape shape{static_cast<std::int64_t>(indices.size())};
  HostValue expected(half, shape), widened(DType::f32, shape);
  std::vector<double> elements;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    elements.push_back(values.at(indices[i]));
    expected.set(i, all.at(indices[i]));
    widened.set(i, all.at(indices[i]));
  }
  const Results got =
      Program(tested, rounding_case(way, std::move(elements), half), Format{"f32", DType::f32, DType::f32})
          .run();
  return bit_difference(got.at("output rounded"), expected) + bit_difference(got.at("output back"), widened);
}

}  // namespace

std::vector<Check> rounding_checks(Backend& tested, const std::filesystem::path& file) {
  const Device device = tested.devices().at(0);
  std::vector<Check> checks;
  const auto add = [&](const char* tensor, DType half) {
    if (device.support(half) == FormatSupport::none) return;
    for (const auto& [name, way] : paths)
      checks.push_back(
          {fmt::format("rounding/{}/{}", name, name_of(half)),
           [&tested, file, tensor, half, way = way] { return check(tested, file, tensor, half, way); }});
  };
  add("float16", DType::f16);
  add("bfloat16_bits", DType::bf16);
  return checks;
}

}  // namespace halfling::conformance
