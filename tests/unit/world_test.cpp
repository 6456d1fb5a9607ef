// SPDX-License-Identifier: Apache-2.0
// Two processes that train together: each has its own half of what one process with batches twice as large
// has.
#include <doctest/doctest.h>

#include "input/batch_source.hpp"
#include "training.hpp"

using namespace halfling;
using namespace halfling::test;

namespace {

constexpr std::int64_t batch = 6;  // rows of 5: the second half begins inside four numbers of one Philox call
constexpr World alone{}, first{0, 2}, second{1, 2};

/// Noise by sample and noise for all, and a parameter to train with them.
class Noisy : public LossesOnly {
 public:
  std::vector<Noise> noises() const override { return {{"z", -1, 1}, {"shared", 0, 1}}; }
  std::vector<Phase> training(const BatchSpec& spec) const override {
    std::vector<Phase> phases(1);
    Graph& graph = phases[0].graph;
    images_input(graph, spec);
    const Value z = noise_input(graph, "z", {spec.batch, 5}), shared = noise_input(graph, "shared", {5});
    phases[0].name = "only";
    phases[0].operations = {{"n", mean(nn::linear(z * reshape(shared, {1, 5}), "n.fc", 1)), {"n."}}};
    return phases;
  }
};

/// Sample i has label i.
class CountingLabels : public Dataset {
 public:
  explicit CountingLabels(std::int64_t size) : size_(size) {}
  std::int64_t size() const override { return size_; }
  Shape sample_shape() const override { return {1, 1, 1}; }
  const std::vector<std::string>& classes() const override { return classes_; }
  std::int32_t read(std::int64_t index, std::span<std::uint8_t> pixels) const override {
    pixels[0] = 0;
    return static_cast<std::int32_t>(index);
  }

 private:
  std::int64_t size_;
  std::vector<std::string> classes_{"a"};
};

struct Noises {
  std::vector<double> by_sample, shared;
};

/// The numbers that an iteration of a process draws, after one iteration.
Noises noises_of(const std::string& backend_name, std::int64_t size, World world) {
  const Noisy architecture;
  const auto policy = make<PrecisionPolicy>("fp32");
  const auto scaler = make<LossScaler>("none");
  const auto optimizer = make<Optimizer>("sgd");
  Graph graph = build_iteration({.architecture = &architecture,
                                 .policy = policy.get(),
                                 .scaler = scaler.get(),
                                 .optimizers = {},
                                 .optimizer = optimizer.get(),
                                 .spec = {size, {1, 8, 8}, 3},
                                 .world = world})
                    .graph;
  for (const Node& node : graph.nodes()) {
    const Shape& shape = graph.value(node.results[0]).shape;
    const bool part = node.op == Op::slice, whole = node.op == Op::random_uniform && world.size == 1;
    if (shape == Shape{size, 5} && (part || whole)) graph.output("z", node.results[0]);
    if (shape == Shape{5} && node.op == Op::random_uniform) graph.output("shared", node.results[0]);
  }
  const auto backend = make<Backend>(backend_name);
  const auto session = backend->open(0);
  const auto executable = session->compile(graph);
  for (const State& state : graph.states()) session->write_state(state.name, initial_value(state, 5));
  executable->run();
  executable->run();
  return {read_numbers(*executable, graph, "z"), read_numbers(*executable, graph, "shared")};
}

std::vector<std::int32_t> labels_of(const Dataset& data, std::int64_t size, World world, int index) {
  BatchSource source(data, {.batch_size = size, .seed = 7, .world = world});
  source.seek(index);
  const Batch& read = source.next();
  CHECK(read.epoch == index / source.batches_per_epoch());
  return {read.labels.begin(), read.labels.end()};
}

template <class T>
std::vector<T> joined(std::vector<T> a, const std::vector<T>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace

TEST_CASE("processes draw different noise, together that of one process with a batch twice as large") {
  for (const std::string& backend : backends()) {
    CAPTURE(backend);
    const Noises whole = noises_of(backend, 2 * batch, alone);
    const Noises one = noises_of(backend, batch, first), other = noises_of(backend, batch, second);
    CHECK(whole.by_sample.size() == 60);
    CHECK(one.by_sample != other.by_sample);
    CHECK(joined(one.by_sample, other.by_sample) == whole.by_sample);
    CHECK(one.shared == whole.shared);
    CHECK(other.shared == whole.shared);
  }
}

TEST_CASE("processes read different samples, together the batches of one process twice as large") {
  const CountingLabels data(50);
  for (const int index : {0, 1, 3, 4, 9}) {
    const auto one = labels_of(data, 6, first, index), other = labels_of(data, 6, second, index);
    CHECK(one != other);
    CHECK(joined(one, other) == labels_of(data, 12, alone, index));
  }
}

TEST_CASE("a data set must have a batch for every process") {
  const CountingLabels data(11);
  CHECK_NOTHROW(BatchSource(data, {.batch_size = 11}));
  CHECK_THROWS_AS(BatchSource(data, {.batch_size = 6, .world = second}), Error);
}

TEST_CASE("the states of all processes are the same, and begin as those of one") {
  const auto graph_of = [](World world) {
    const Noisy architecture;
    const auto policy = make<PrecisionPolicy>("fp32");
    const auto scaler = make<LossScaler>("dynamic");
    const auto optimizer = make<Optimizer>("adam");
    return build_iteration({.architecture = &architecture,
                            .policy = policy.get(),
                            .scaler = scaler.get(),
                            .optimizers = {},
                            .optimizer = optimizer.get(),
                            .spec = {batch, {1, 8, 8}, 3},
                            .world = world})
        .graph;
  };
  const Graph one = graph_of(alone), other = graph_of(second);
  REQUIRE(one.states().size() == other.states().size());
  for (std::size_t i = 0; i < one.states().size(); ++i) {
    CHECK(one.states()[i].name == other.states()[i].name);
    CHECK(initial_value(one.states()[i], 3) == initial_value(other.states()[i], 3));
  }
  CHECK(text(graph_of({0, 1})) == text(one));
}
