// SPDX-License-Identifier: Apache-2.0
#include "shipped_convolutions.hpp"

#include "cudnn/pad.hpp"
#include "experiment/experiment.hpp"
#include "halfling/dataset.hpp"
#include "iteration/iteration.hpp"
#include "plugin/registry.hpp"
#include "plugin_options.hpp"

namespace halfling::test {
namespace {

using Problems = std::set<cudnn::ConvolutionProblem>;

void add_convolutions(const Graph& graph, Problems& problems) {
  for (const Node& node : graph.nodes()) {
    if (node.op != Op::conv2d && node.op != Op::conv2d_input_gradient &&
        node.op != Op::conv2d_weight_gradient)
      continue;
    problems.insert(cudnn::convolution_of(graph, node));
  }
}

/// What the shapes of a trial's convolutions depend on.
std::string shapes_key(const Experiment& experiment, std::int64_t batch) {
  std::string key = std::to_string(batch);
  for (const Origin& origin : experiment.origins)
    for (const char* table : {"architecture.", "dataset.", "sample."})
      if (origin.key.starts_with(table)) key += " " + origin.key + "=" + origin.value;
  return key;
}

/// The policies of every precision that has convolutions on a GPU.
std::vector<std::unique_ptr<PrecisionPolicy>> policies(const Registry& registry) {
  const auto make = [&](const char* name, Options given = {}) {
    return registry.create<PrecisionPolicy>(
        name, plugin_options(registry, PrecisionPolicy::kind, name, std::move(given)));
  };
  std::vector<std::unique_ptr<PrecisionPolicy>> policies;
  policies.push_back(make("fp32"));
  policies.push_back(make("tf32"));
  for (const char* format : {"fp16", "bf16"}) {
    Options half;
    half.set("half", std::string(format));
    policies.push_back(make("mixed", std::move(half)));
  }
  return policies;
}

class Trials {
 public:
  explicit Trials(const Registry& registry) : registry_(registry), policies_(policies(registry)) {}

  void add(const Experiment& e, std::int64_t batch) {
    if (!seen_.insert(shapes_key(e, batch)).second) return;
    const auto dataset = registry_.create<Dataset>(e.dataset.use, e.dataset.options);
    const auto architecture = registry_.create<Architecture>(e.architecture.use, e.architecture.options);
    const auto scaler = registry_.create<LossScaler>(e.loss_scaler.use, e.loss_scaler.options);
    const auto optimizer = registry_.create<Optimizer>(e.optimizer.use, e.optimizer.options);
    const Shape image = dataset->sample_shape();
    const auto classes = static_cast<std::int64_t>(dataset->classes().size());
    for (const auto& policy : policies_) {
      const IterationGraph iteration = build_iteration({.architecture = architecture.get(),
                                                        .policy = policy.get(),
                                                        .scaler = scaler.get(),
                                                        .scope = e.loss_scaler.scope,
                                                        .skip_together = e.loss_scaler.skip_together,
                                                        .optimizers = {},
                                                        .optimizer = optimizer.get(),
                                                        .spec = {batch, image, classes}});
      const cudnn::PaddedGraph padded = cudnn::pad(iteration.graph);
      add_convolutions(padded.graph, problems);
      const Graph sampling =
          build_sampling(*architecture, *policy, {e.sample.rows * classes, image, classes});
      add_convolutions(cudnn::pad(sampling, padded.states).graph, problems);
    }
  }

  Problems problems;

 private:
  const Registry& registry_;
  std::vector<std::unique_ptr<PrecisionPolicy>> policies_;
  std::set<std::string> seen_;
};

/// Images of the shape that the experiment's data set has, and no files: 28x28 in gray as Fashion-MNIST and
/// Quick, Draw!, 32x32 in colours as CIFAR-10 and the pictures of a folder.
std::vector<std::string> stand_in(const std::filesystem::path& file, const Registry& registry) {
  const std::string data = load_experiment({file, {}}, registry).trials.front().dataset.use;
  const bool colours = data == "cifar10" || data == "folder";
  return {"dataset.use=synthetic", colours ? "dataset.size=32" : "dataset.size=28",
          colours ? "dataset.channels=3" : "dataset.channels=1"};
}

}  // namespace

Problems shipped_convolutions(const std::vector<std::filesystem::path>& experiments) {
  const Registry registry = Registry::scan();
  Trials trials(registry);
  for (const std::filesystem::path& file : experiments) {
    const LoadedExperiment loaded = load_experiment({file, stand_in(file, registry)}, registry);
    for (const Experiment& trial : loaded.trials)
      for (const std::int64_t batch : {trial.input.batch_size, std::int64_t{1024}}) trials.add(trial, batch);
  }
  return trials.problems;
}

}  // namespace halfling::test
