// SPDX-License-Identifier: Apache-2.0
// Networks that are called several times in one phase, and states that a forward pass keeps and assigns.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kept_gradients.hpp"

using namespace halfling;
using namespace halfling::test;

namespace {

constexpr std::int64_t pixels = 64;

Value flat_images(Graph& graph, const BatchSpec& spec) {
  return reshape(images_input(graph, spec), {spec.batch, pixels});
}

/// Pixel i of image n of the batch that Training gives, in [0, 1].
double pixel(std::size_t n, std::size_t i) {
  const std::size_t at = n * pixels + i;
  return static_cast<double>(at * at * 31 % 256) / 255;
}

std::vector<Phase> one_phase(Phase phase) {
  std::vector<Phase> phases;
  phases.push_back(std::move(phase));
  return phases;
}

/// A discriminator with batch norm that judges images and then their negatives.
class CalledTwice : public LossesOnly {
 public:
  std::vector<Phase> training(const BatchSpec& spec) const override {
    Phase phase{"only", {}, {}};
    Graph& graph = phase.graph;
    const Value real = flat_images(graph, spec);
    const Value first = mean(sigmoid_cross_entropy(judge(real), 1));
    const Value second = mean(sigmoid_cross_entropy(judge(1.0 - real), 0));
    const Value loss = first + second;
    phase.operations = {{"d", loss, {"d."}}};
    return one_phase(std::move(phase));
  }

 private:
  static Value judge(Value x) {
    const Value h = nn::batch_norm(x, "d.bn", {.epsilon = 1e-3, .momentum = 0.25}, nn::Mode::training);
    return nn::linear(tanh(nn::linear(h, "d.fc1", 5)), "d.fc2", 1);
  }
};

Kept kept(std::unique_ptr<Architecture> architecture, const char* policy, const char* scaler = "none",
          Options scaler_options = {}) {
  Options options;
  if (policy == std::string("mixed")) options.set("half", std::string("fp16"));
  return Kept({.architecture = std::move(architecture),
               .policy = make<PrecisionPolicy>(policy, std::move(options)),
               .scaler = make<LossScaler>(scaler, std::move(scaler_options))});
}

}  // namespace

TEST_CASE(
    "a network that is called twice in a phase shares its parameters, and their gradient is of both calls") {
  Kept training = kept(std::make_unique<CalledTwice>(), "fp64");
  CHECK(training.worst_difference("d") < 1e-6);
}

TEST_CASE("each call moves the running statistics, in the order of the calls") {
  Kept kept_training = kept(std::make_unique<CalledTwice>(), "fp64");
  Training& training = kept_training.training;
  training.step();
  const std::vector<double> mean = training.state("d.bn.running_mean"),
                            variance = training.state("d.bn.running_var");
  for (std::size_t i = 0; i < pixels; ++i) {
    double sum = 0, squares = 0;
    for (std::size_t n = 0; n < 8; ++n) sum += pixel(n, i);
    const double real = sum / 8;
    for (std::size_t n = 0; n < 8; ++n) squares += std::pow(pixel(n, i) - real, 2);
    const double unbiased = squares / 7;
    CHECK(mean[i] == doctest::Approx(0.75 * (0.25 * real) + 0.25 * (1 - real)).epsilon(1e-6));
    CHECK(variance[i] == doctest::Approx(0.75 * (0.75 + 0.25 * unbiased) + 0.25 * unbiased).epsilon(1e-6));
  }
}

namespace {

constexpr std::int64_t rows = 6;

/// A layer under spectral norm, called `calls` times. Its loss is `size` times a sum of squares.
class Normed : public LossesOnly {
 public:
  explicit Normed(int calls, double size = 1) : calls_(calls), size_(size) {}

  std::vector<Phase> training(const BatchSpec& spec) const override {
    Phase phase{"only", {}, {}};
    Value x = flat_images(phase.graph, spec), loss = constant(phase.graph, 0);
    for (int i = 0; i < calls_; ++i) {
      const Value y = matmul(x, layer(phase.graph, nn::Mode::training), false, true);
      loss = loss + size_ * mean(y * y);
      x = 1.0 - x;
    }
    phase.operations = {{"n", loss, {"n."}}};
    return one_phase(std::move(phase));
  }

  Graph sampling(const BatchSpec&) const override {
    Graph graph;
    graph.output("samples", layer(graph, nn::Mode::inference));
    return graph;
  }

 private:
  static Value layer(Graph& graph, nn::Mode mode) {
    const Value w = nn::parameter(graph, "n.weight", {rows, pixels}, {Initial::Kind::normal, 1});
    return nn::spectral_norm(w, "n.norm", mode);
  }

  int calls_;
  double size_;
};

using Numbers = std::vector<double>;

Numbers normalised(Numbers x) {
  const double length = std::sqrt(std::inner_product(x.begin(), x.end(), x.begin(), 0.0));
  for (double& value : x) value /= length;
  return x;
}

/// W v of W [rows, pixels].
Numbers times(const Numbers& w, const Numbers& v) {
  Numbers result(rows);
  for (std::size_t i = 0; i < rows; ++i)
    result[i] =
        std::inner_product(v.begin(), v.end(), w.begin() + static_cast<std::ptrdiff_t>(i * pixels), 0.0);
  return result;
}

/// u W.
Numbers times_transposed(const Numbers& w, const Numbers& u) {
  Numbers result(pixels);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t k = 0; k < pixels; ++k) result[k] += u[i] * w[i * pixels + k];
  return result;
}

}  // namespace

TEST_CASE(
    "spectral norm's vectors make one step of power iteration a run, in every policy and for any number of "
    "calls") {
  for (const auto& [policy, tolerance] : {std::pair{"fp64", 1e-12}, {"fp32", 1e-6}, {"mixed", 1e-6}})
    for (const int calls : {1, 2}) {
      CAPTURE(policy);
      CAPTURE(calls);
      Kept kept_training = kept(std::make_unique<Normed>(calls), policy);
      Training& training = kept_training.training;
      const State& info = *training.graph().find_state("n.norm.u");
      CHECK(info.dtype == (policy == std::string("fp64") ? DType::f64 : DType::f32));
      CHECK(info.role == StateRole::statistic);
      const Numbers w = training.state("n.weight");
      Numbers u = training.state("n.norm.u"), v;
      for (int i = 0; i < 3; ++i) {
        training.step();
        v = normalised(times_transposed(w, u));
        u = normalised(times(w, v));
        CHECK(distance(training.state("n.norm.u"), u) < tolerance);
        CHECK(distance(training.state("n.norm.v"), v) < tolerance);
      }
    }
}

TEST_CASE("the gradient through spectral norm is that of weight / sigma") {
  Kept training = kept(std::make_unique<Normed>(2), "fp64");
  training.training.step(400);  // then sigma does not depend on the vectors, to first order
  CHECK(training.worst_difference("n") < 1e-5);
}

TEST_CASE("an update that is skipped moves spectral norm's vectors all the same, and they stay finite") {
  Kept kept_training = kept(std::make_unique<Normed>(1, 0x1p12), "mixed", "static", option("scale", 0x1p24));
  Training& training = kept_training.training;
  const Numbers before = training.state("n.norm.u");
  training.step();
  CHECK(training.output("skipped.n") == 1);
  CHECK(training.state("n.norm.u") != before);
  for (const double value : training.state("n.norm.u")) CHECK(std::isfinite(value));
}

TEST_CASE("sampling divides by the sigma of the stored vectors, and leaves them as they are") {
  Kept kept_training = kept(std::make_unique<Normed>(1), "fp64");
  Training& training = kept_training.training;
  training.step(3);
  const Graph graph = build_sampling(Normed(1), *make<PrecisionPolicy>("fp64"), {8, {1, 8, 8}, 3});
  const auto backend = make<Backend>("reference");
  const auto session = backend->open(0);
  const auto step = session->compile(graph);
  for (const State& state : graph.states()) {
    CHECK(state.latest == state.first);
    const Numbers values = training.state(state.name);
    session->write_state(state.name, std::as_bytes(std::span(values)));
  }
  step->run();
  const Numbers w = training.state("n.weight"), u = training.state("n.norm.u"),
                v = training.state("n.norm.v");
  const Numbers wv = times(w, v);
  const double sigma = std::inner_product(u.begin(), u.end(), wv.begin(), 0.0);
  Numbers expected = w;
  for (double& value : expected) value /= sigma;
  CHECK(distance(read_numbers(*step, graph, "samples"), expected) < 1e-12);
}
