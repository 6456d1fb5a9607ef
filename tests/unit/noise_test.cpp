// SPDX-License-Identifier: Apache-2.0
// Noise of every kind: drawn on the device, in training and for grids.
#include "iteration/noise.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "train/sampler.hpp"
#include "training.hpp"

using namespace halfling;
using namespace halfling::test;

namespace {

constexpr std::int64_t count = 8192;

/// Keeps what it was given in statistics, and trains one number.
class Drawing : public LossesOnly {
 public:
  std::vector<Noise> noises() const override {
    return {{"u", -1, 3}, Noise::normal("z", 2, 0.5), Noise::classes("y")};
  }

  std::vector<Phase> training(const BatchSpec& spec) const override {
    std::vector<Phase> phases(1);
    Graph& graph = phases[0].graph;
    keep(noise_input(graph, "u", {count}), "kept.u");
    keep(noise_input(graph, "z", {count}), "kept.z");
    const Value y = labels_input(graph, spec, "y");
    keep(cast(y, DType::f32), "kept.y");
    keep(cast(labels_input(graph, spec), DType::f32), "kept.labels");
    keep(conditional(graph, spec, y), "kept.conditional");
    const Value w = nn::parameter(graph, "n.w", {}, {});
    phases[0].operations = {{"n", w * w, {"n."}}};
    return phases;
  }

  /// Image n has the brightness y / 255.
  Graph sampling(const BatchSpec& spec) const override {
    Graph graph;
    const Value y = 1.0 / 255 * cast(labels_input(graph, spec, "y"), DType::f32);
    graph.output("samples", broadcast(reshape(y, {spec.batch, 1, 1, 1}), {spec.batch, 1, 8, 8}));
    return graph;
  }

 private:
  static void keep(Value value, const std::string& name) {
    Graph& graph = *value.graph;
    state(graph, {.name = name,
                  .dtype = DType::f32,
                  .shape = value.shape(),
                  .initial = {},
                  .role = StateRole::statistic});
    graph.assign(name, value);
  }
  /// Of class k: around 10 k, at most 1 away.
  static Value conditional(Graph& graph, const BatchSpec& spec, Value y) {
    const Value means = 10.0 * cast(y, DType::f32);
    const Value around = slice(noise_input(graph, "u", {count}), 0, 0, spec.batch);
    return means + 0.25 * around;
  }
};

Training drawing(const std::string& backend, const char* policy = "fp32") {
  return Training({.backend = backend,
                   .architecture = std::make_unique<Drawing>(),
                   .policy = make<PrecisionPolicy>(policy),
                   .scaler = make<LossScaler>("none")});
}

std::pair<double, double> mean_and_deviation(const std::vector<double>& values) {
  double sum = 0, squares = 0;
  for (const double v : values) sum += v, squares += v * v;
  const double n = static_cast<double>(values.size()), mean = sum / n;
  return {mean, std::sqrt(squares / n - mean * mean)};
}

}  // namespace

TEST_CASE(
    "uniform and normal noise and random labels have their distributions, and change with each iteration") {
  for (const std::string& backend : backends()) {
    CAPTURE(backend);
    Training training = drawing(backend);
    std::array<int, 3> labels{};
    std::set<std::vector<double>> seen;
    for (int i = 0; i < 60; ++i) {
      training.step();
      for (const double y : training.state("kept.y")) ++labels.at(static_cast<std::size_t>(y));
      seen.insert(training.state("kept.z"));
    }
    CHECK(seen.size() == 60);
    for (const int times : labels)
      CHECK(times == doctest::Approx(160).epsilon(0.25));  // of 480; 3.9 deviations
    const auto [normal_mean, normal_deviation] = mean_and_deviation(training.state("kept.z"));
    CHECK(normal_mean == doctest::Approx(2).epsilon(0.01));
    CHECK(normal_deviation == doctest::Approx(0.5).epsilon(0.03));
    const auto [uniform_mean, uniform_deviation] = mean_and_deviation(training.state("kept.u"));
    CHECK(uniform_mean == doctest::Approx(1).epsilon(0.05));
    CHECK(uniform_deviation == doctest::Approx(4 / std::sqrt(12)).epsilon(0.03));
    CHECK(training.state("kept.labels") == std::vector<double>{0, 1, 2, 0, 1, 2, 0, 1});  // the batch's own
  }
}

TEST_CASE("noise that depends on a class is made of noise that does not") {
  Training training = drawing("reference", "fp64");
  training.step();
  const std::vector<double> y = training.state("kept.y"), z = training.state("kept.conditional");
  for (std::size_t n = 0; n < y.size(); ++n) CHECK(std::abs(z[n] - 10 * y[n]) <= 1);
}

TEST_CASE("the host draws the device's numbers") {
  for (const std::string& backend : backends()) {
    CAPTURE(backend);
    Training training = drawing(backend);
    training.step();
    for (const Noise& noise : Drawing().noises()) {
      CAPTURE(noise.name);
      const Shape shape = noise.name == "y" ? Shape{8} : Shape{count};
      const std::vector<double> host = to_numbers(fixed_noise(noise, shape, 3, 5), noise.dtype());
      const std::vector<double> device = training.state("kept." + noise.name);
      REQUIRE(host.size() == device.size());
      const double tolerance = noise.kind == Noise::Kind::normal ? 1e-6 : 0;
      double worst = 0;
      for (std::size_t i = 0; i < host.size(); ++i) worst = std::max(worst, std::abs(device[i] - host[i]));
      CHECK(worst <= tolerance);
    }
  }
}

TEST_CASE("a grid draws random labels from its seed") {
  const auto backend = make<Backend>("reference");
  const auto session = backend->open(0);
  const auto draw = [&](std::uint64_t seed) {
    const auto policy = make<PrecisionPolicy>("fp32");
    const Drawing architecture;
    return Sampler(*session, architecture, *policy, {{0, {1, 8, 8}, 3}, {0, 1, 2}, 4, seed, {}})
        .draw()
        .pixels;
  };
  CHECK(draw(1) == draw(1));
  CHECK(draw(1) != draw(2));
  const std::vector<std::int32_t> labels = [] {
    const auto numbers = to_numbers(fixed_noise(Noise::classes("y"), {12}, 3, 1), DType::i32);
    return std::vector<std::int32_t>(numbers.begin(), numbers.end());
  }();
  for (const std::int32_t label : {0, 1, 2})
    CHECK(std::ranges::count(draw(1), label) >= 64 * std::ranges::count(labels, label));
}

TEST_CASE("the way between two z keeps its length for normal noise, and is straight for uniform noise") {
  const Shape shape{10, 64};
  constexpr std::int64_t steps = 5;
  const auto numbers = [&](const Noise& noise, std::uint64_t seed) {
    return to_numbers(fixed_noise(noise, shape, 3, seed), noise.dtype());
  };
  for (const Noise& noise : {Noise::uniform("u", -1, 3), Noise::normal("z", 2, 0.5)}) {
    const std::vector<double> way = to_numbers(interpolated_noise(noise, shape, 3, 5, steps), DType::f32);
    const std::vector<double> from = numbers(noise, 5), to = numbers(noise, 6);
    const auto length = [&](std::int64_t sample) {
      double sum = 0;
      for (std::size_t j = 0; j < 64; ++j) {
        const double x = way[static_cast<std::size_t>(sample) * 64 + j] - 2;
        sum += x * x;
      }
      return std::sqrt(sum);
    };
    for (std::size_t j = 0; j < 64; ++j) {
      CHECK(way[j] == doctest::Approx(from[j]));
      CHECK(way[4 * 64 + j] == doctest::Approx(to[j]));
      CHECK(way[5 * 64 + j] == way[j]);  // the next class goes the same way
      if (noise.kind == Noise::Kind::uniform)
        CHECK(way[2 * 64 + j] == doctest::Approx((from[j] + to[j]) / 2).epsilon(1e-5));
    }
    if (noise.kind == Noise::Kind::normal) {
      CHECK(length(2) > 0.95 * std::min(length(0), length(4)));
      CHECK(length(2) < 1.05 * std::max(length(0), length(4)));
    }
  }
  const auto labels = to_numbers(interpolated_noise(Noise::classes("y"), {10}, 3, 5, steps), DType::i32);
  for (const double label : labels) CHECK(label == labels.front());
}
