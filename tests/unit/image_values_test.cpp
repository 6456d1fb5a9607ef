// SPDX-License-Identifier: Apache-2.0
// Images in the range of values that an experiment gives them.
#include <doctest/doctest.h>

#include <cmath>

#include "sheet.hpp"

using namespace halfling;
using namespace halfling::test;

namespace {

const std::vector<float> pixels{0, 0.25, 0.5, 1, 0, 0.25, 0.5, 1};
const std::vector<double> logits{-2, -0.5, 0, 3, -2, -0.5, 0, 3};

BatchSpec spec_with(ValueRange values) {
  return {.batch = 1, .image = {2, 2, 2}, .classes = 2, .values = std::move(values)};
}

std::vector<double> mapped(const std::vector<double>& values, double (*f)(double)) {
  std::vector<double> result;
  for (const double value : values) result.push_back(f(value));
  return result;
}

}  // namespace

TEST_CASE("images have one range of values for all channels, and back") {
  const BatchSpec spec = spec_with({{-1}, {1}});
  Sheet sheet;
  const Value images = sheet.images(pixels, spec);
  sheet.expect(images, {-1, -0.5, 0, 1, -1, -0.5, 0, 1});
  sheet.expect(unit_images(images, spec), {pixels.begin(), pixels.end()});
  sheet.check();
}

TEST_CASE("images have a range of values for each channel, and back") {
  const BatchSpec spec = spec_with({{-1, 2}, {1, 6}});
  Sheet sheet;
  const Value images = sheet.images(pixels, spec);
  sheet.expect(images, {-1, -0.5, 0, 1, 2, 3, 4, 6});
  sheet.expect(unit_images(images, spec), {pixels.begin(), pixels.end()});
  sheet.check();
}

TEST_CASE("a generator's last layer gets the range of the images") {
  const auto of = [](const ValueRange& values, const std::vector<double>& expected) {
    Sheet sheet;
    const Value x = sheet.input({logits.begin(), logits.end()}, {1, 2, 2, 2});
    sheet.expect(image_output(x, spec_with(values)), expected);
    sheet.check();
  };
  const auto logistic = mapped(logits, [](double x) { return 1 / (1 + std::exp(-x)); });
  of({}, logistic);
  of({{-1}, {1}}, mapped(logits, [](double x) { return std::tanh(x / 2); }));
  std::vector<double> each = logistic;
  for (std::size_t i = 0; i < 4; ++i) each[i] = 3 * each[i] - 2, each[4 + i] = each[4 + i] / 2;
  of({{-2, 0}, {1, 0.5}}, each);
}

TEST_CASE("images in [0, 1] cost nothing") {
  Graph graph;
  const BatchSpec spec = spec_with({});
  const Value images = images_input(graph, spec);
  CHECK(unit_images(images, spec).id == images.id);
  CHECK(graph.nodes().size() == 1);  // the input
}
