// SPDX-License-Identifier: Apache-2.0
// Small graphs with given inputs and expected results.
#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "halfling/architecture.hpp"
#include "halfling/gradient.hpp"
#include "training.hpp"

namespace halfling::test {

struct SheetInput {
  std::string name;
  DType dtype;
  std::vector<float> values;
};
struct SheetResult {
  std::string name;
  std::vector<double> expected;
};

/// A graph of inputs and outputs, run on every backend of this build.
class Sheet {
 public:
  Value input(std::vector<float> values, Shape shape) { return add(DType::f32, std::move(values), shape); }
  Value labels(std::vector<std::int32_t> values) {
    const Shape shape{static_cast<std::int64_t>(values.size())};
    const Value x = add(DType::i32, std::vector<float>(values.size()), shape);
    integers_.emplace_back(inputs_.back().name, std::move(values));
    return x;
  }
  /// What images_input declares.
  Value images(std::vector<float> values, const BatchSpec& spec) {
    inputs_.push_back({"images", DType::f32, std::move(values)});
    return images_input(graph, spec);
  }
  void expect(Value value, std::vector<double> expected) {
    results_.push_back({"y" + std::to_string(results_.size()), std::move(expected)});
    graph.output(results_.back().name, value);
  }
  /// Of the sum of a value's elements.
  void expect_gradient(Value value, Value with_respect_to, std::vector<double> expected) {
    const std::vector<ValueId> losses{value}, targets{with_respect_to},
        seeds{constant(graph, 1, value.shape(), value.dtype())};
    expect({&graph, gradient(graph, losses, seeds, targets)[0]}, std::move(expected));
  }
  void check() const {
    for (const std::string& name : backends()) {
      CAPTURE(name);
      check_on(*make<Backend>(name));
    }
  }
  Graph graph;

 private:
  Value add(DType dtype, std::vector<float> values, const Shape& shape) {
    inputs_.push_back({"x" + std::to_string(inputs_.size()), dtype, std::move(values)});
    return {&graph, graph.input(inputs_.back().name, dtype, shape)};
  }
  void check_on(Backend& backend) const {
    verify(graph);
    const auto session = backend.open(0);
    const auto step = session->compile(graph);
    for (const SheetInput& x : inputs_)
      if (x.dtype == DType::f32) step->write(x.name, std::as_bytes(std::span(x.values)));
    for (const auto& [name, values] : integers_) step->write(name, std::as_bytes(std::span(values)));
    step->run();
    for (const SheetResult& result : results_) check_result(result, read_numbers(*step, graph, result.name));
  }
  static void check_result(const SheetResult& result, const std::vector<double>& got) {
    CAPTURE(result.name);
    REQUIRE(got.size() == result.expected.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
      CAPTURE(i);
      if (std::isfinite(result.expected[i]) && result.expected[i] != 0)
        CHECK(got[i] == doctest::Approx(result.expected[i]).epsilon(1e-6));
      else if (std::isnan(result.expected[i]))
        CHECK(std::isnan(got[i]));
      else
        CHECK(got[i] == result.expected[i]);
    }
  }

  std::vector<SheetInput> inputs_;
  std::vector<std::pair<std::string, std::vector<std::int32_t>>> integers_;
  std::vector<SheetResult> results_;
};

}  // namespace halfling::test
