// SPDX-License-Identifier: Apache-2.0
#include "train/preflight.hpp"

#include <algorithm>

#include "halfling/error.hpp"
#include "plugin/suggest.hpp"
#include "train/forecast.hpp"
#include "train/monitor.hpp"

namespace halfling {
namespace {

/// The resolved values of some tables.
std::string content_of(const Experiment& experiment, std::initializer_list<std::string_view> tables) {
  std::string text;
  for (const Origin& origin : experiment.origins)
    for (const std::string_view table : tables)
      if (origin.key.starts_with(std::string(table) + ".")) text += origin.key + "=" + origin.value + "\n";
  return text;
}

void check_batch(const Experiment& experiment, const DataFacts& data) {
  const std::int64_t batch = experiment.input.batch_size;
  if (batch <= data.samples) return;
  throw Error({.what = "a batch is larger than the data set",
               .where = "input.batch_size",
               .got = std::to_string(batch) + " samples a batch",
               .expected = "at most " + std::to_string(data.samples) + ", the data set's size",
               .hint = "lower input.batch_size, or give the data set more samples",
               .kind = ErrorKind::usage});
}

void check_operations(const Experiment& experiment, const std::vector<std::string>& known) {
  std::string all;
  for (const std::string& name : known) all += (all.empty() ? "" : ", ") + name;
  for (const auto& [name, options] : experiment.optimizer_of) {
    if (std::ranges::find(known, name) != known.end()) continue;
    throw Error({.what = "the architecture has no training operation of this name",
                 .where = "optimizer.operation." + name,
                 .got = name,
                 .expected = "one of " + all,
                 .hint = did_you_mean(name, known),
                 .kind = ErrorKind::usage});
  }
}

/// Lets the policy look at every forward graph.
KnownNames checked_names(const Engine& engine, const DataFacts& data, std::int64_t batch) {
  const BatchSpec spec{batch, data.image, static_cast<std::int64_t>(data.classes.size())};
  const std::vector<Phase> phases = engine.architecture->training(spec);
  const Graph sampling = engine.architecture->sampling(spec);
  std::vector<const Graph*> graphs;
  KnownNames names;
  for (const Phase& phase : phases) {
    graphs.push_back(&phase.graph);
    for (const TrainingOperation& operation : phase.operations) names.operations.push_back(operation.name);
    const std::vector<std::string> observable = observable_names(phase.graph);
    names.observable.insert(names.observable.end(), observable.begin(), observable.end());
  }
  graphs.push_back(&sampling);
  engine.policy->check(graphs);
  return names;
}

}  // namespace

DataFacts facts_of(const Experiment& experiment, const Registry& registry) {
  const auto dataset = registry.create<Dataset>(experiment.dataset.use, experiment.dataset.options);
  return {dataset->size(), dataset->sample_shape(), dataset->classes()};
}

void Preflight::check(const Experiment& experiment) {
  const std::string engine_key = content_of(experiment, {"backend", "precision", "architecture"});
  auto engine = known_engines_.find(engine_key);
  if (engine == known_engines_.end())
    engine = known_engines_.emplace(engine_key, make_engine(experiment, registry_)).first;
  engine_ = &engine->second;
  const std::string data_key = content_of(experiment, {"dataset"});
  auto data = known_data_.find(data_key);
  if (data == known_data_.end()) data = known_data_.emplace(data_key, facts_of(experiment, registry_)).first;
  data_ = &data->second;
  check_batch(experiment, *data_);
  const std::int64_t batch = experiment.input.batch_size;
  graphs_key_ = engine_key + data_key + std::to_string(batch);
  auto names = known_names_.find(graphs_key_);
  if (names == known_names_.end())
    names = known_names_.emplace(graphs_key_, checked_names(*engine_, *data_, batch)).first;
  check_operations(experiment, names->second.operations);
  if (experiment.monitor.every) check_monitored(experiment.monitor.values, names->second.observable);
}

void Preflight::check_memory(const Experiment& experiment) {
  check(experiment);
  // Learning rates and the like change nothing here, and a sweep over them has many trials.
  const std::string key = graphs_key_ + "/" + experiment.optimizer.use + "/" + experiment.loss_scaler.use;
  if (fitting_.contains(key)) return;
  halfling::check_memory(experiment, registry_, *engine_, *data_);
  fitting_.insert(key);
}

}  // namespace halfling
