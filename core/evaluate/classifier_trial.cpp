// SPDX-License-Identifier: Apache-2.0
#include "evaluate/classifier_trial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/content_hash.hpp"
#include "experiment/resolver.hpp"
#include "halfling/architecture.hpp"
#include "halfling/backend.hpp"
#include "halfling/loss_scaler.hpp"
#include "halfling/optimizer.hpp"
#include "halfling/precision.hpp"

namespace halfling {
namespace {

/// Raised when the classifier, or how it is trained, changes: old ones are then left alone.
constexpr const char* version = "1";
constexpr std::int64_t batch = 128, iterations = 1500;

/// With the plugin's defaults.
Choice defaults_of(const Registry& registry, const char* kind, const std::string& name) {
  const PluginDescriptor& plugin = *registry.get(kind, name).descriptor;
  Choice choice{name, {}};
  for (const OptionDeclaration& option : std::span(plugin.options, plugin.option_count))
    choice.options.set(option.name, config::default_value({option}, name + " " + plugin.version));
  return choice;
}

/// The options of a choice as text.
void add(ContentHash& hash, const Choice& choice) {
  hash.add(choice.use + "\n");
  for (const auto& [name, value] : choice.options.values())
    hash.add(name + "=" + std::visit([](const auto& v) { return nlohmann::json(v).dump(); }, value) + "\n");
}

std::string id_of(const Experiment& trial, const RealImages& real) {
  ContentHash hash;
  hash.add(fmt::format("classifier {}, {} iterations of {}, seed {}, holdout {}\n", version, iterations,
                       trial.input.batch_size, trial.seed, trial.dataset.holdout));
  for (const Choice& choice : {Choice(trial.architecture), Choice(trial.optimizer), Choice(trial.dataset)})
    add(hash, choice);
  for (const NamedChoice& transform : trial.transforms) {
    hash.add(transform.name + "\n");
    add(hash, transform);
  }
  hash.add(real.shape().text() + real.content());
  return hash.text();
}

}  // namespace

Experiment classifier_trial(const Experiment& experiment, const Registry& registry, const RealImages& real) {
  Experiment trial;
  trial.name = "classifier";
  trial.seed = 1;
  trial.backend = {config::automatic_use, {}};
  trial.precision = defaults_of(registry, PrecisionPolicy::kind, "fp32");
  trial.loss_scaler = {defaults_of(registry, LossScaler::kind, "none")};
  trial.dataset = experiment.dataset;
  trial.transforms = experiment.transforms;
  trial.architecture = defaults_of(registry, Architecture::kind, "classifier");
  trial.optimizer = {defaults_of(registry, Optimizer::kind, "adam"), {}};
  trial.optimizer.schedule.kind = ScheduleAttributes::Kind::cosine;
  trial.optimizer.schedule.length.iterations = iterations;
  trial.optimizer.options.set("learning_rate", 1e-3);
  trial.optimizer.options.set("beta1", 0.9);
  trial.input = {std::min(batch, real.size(Part::training)), 4, 1, true};
  trial.budget.iterations = iterations;
  trial.id = id_of(trial, real);
  return trial;
}

void use_backend(Experiment& trial, const Registry& registry, const std::string& backend) {
  trial.backend = defaults_of(registry, Backend::kind, backend);
}

}  // namespace halfling
