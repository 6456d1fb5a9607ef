// SPDX-License-Identifier: Apache-2.0
#include "plan/preflight.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/suggest.hpp"
#include "experiment/located.hpp"
#include "halfling/error.hpp"
#include "iteration/iteration.hpp"
#include "iteration/monitor_graph.hpp"
#include "measure/price.hpp"
#include "plan/forecast.hpp"
#include "quality/metrics.hpp"

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

/// `batches`: that an iteration reads.
void check_batch(const Experiment& experiment, const DataFacts& data, std::int64_t batches = 1) {
  const std::int64_t batch = experiment.input.batch_size * batches;
  if (batch <= data.samples) return;
  const bool several = batches > 1;
  throw Error(
      {.what = several ? "the batches of an iteration are larger than the data set"
                       : "a batch is larger than the data set",
       .where = "input.batch_size",
       .got = std::to_string(batch) + " samples " +
              (several ? "in the " + std::to_string(batches) + " batches of an iteration" : "a batch"),
       .expected = "at most " + std::to_string(data.samples) + ", the data set's size",
       .hint = "lower input.batch_size, or give the data set more samples",
       .kind = ErrorKind::usage});
}

std::vector<ErrorDetails> unknown_operations(const Experiment& experiment,
                                             const std::vector<std::string>& known) {
  std::vector<ErrorDetails> faults;
  std::string all;
  for (const std::string& name : known) all += (all.empty() ? "" : ", ") + name;
  for (const auto& [name, options] : experiment.optimizer_of)
    if (std::ranges::find(known, name) == known.end())
      faults.push_back({.what = "the architecture has no training operation of this name",
                        .where = "optimizer.operation." + name,
                        .got = name,
                        .expected = "one of " + all,
                        .hint = did_you_mean(name, known),
                        .kind = ErrorKind::usage});
  return faults;
}

BatchSpec spec_of(const Experiment& experiment, const DataFacts& data) {
  return {experiment.input.batch_size, data.image, static_cast<std::int64_t>(data.classes.size()),
          data.values};
}

KnownNames names_of(const std::vector<Phase>& phases) {
  KnownNames names;
  names.batches = Cycle(phases).batches();
  for (const Phase& phase : phases) {
    for (const TrainingOperation& operation : phase.operations) names.operations.push_back(operation.name);
    const std::vector<std::string> observable = observable_names(phase.graph);
    names.observable.insert(names.observable.end(), observable.begin(), observable.end());
  }
  return names;
}

/// Lets the policy look at every forward graph.
void check_policy(const Platform& platform, const BatchSpec& spec) {
  const std::vector<Phase> phases = platform.architecture->training(spec);
  const Graph sampling = platform.architecture->sampling(spec);
  std::vector<const Graph*> graphs;
  for (const Phase& phase : phases) graphs.push_back(&phase.graph);
  graphs.push_back(&sampling);
  platform.policy->check(graphs);
}

/// What would make it sure to fail at the end.
void check_quality(const Experiment& experiment, const Platform& platform, const DataFacts& data,
                   const BatchSpec& spec) {
  const auto refuse = [](const char* what, const char* where, std::string got, std::string expected) {
    throw Error({.what = what,
                 .where = where,
                 .got = std::move(got),
                 .expected = std::move(expected),
                 .hint = "without quality.samples nothing is measured",
                 .kind = ErrorKind::usage});
  };
  if (!has_generator(*platform.architecture, spec))
    refuse("the architecture has no generator, so there are no images to measure", "quality.samples",
           experiment.architecture.use, "a GAN");
  const std::string enough = fmt::format("at least {} images", quality::fewest_samples);
  if (experiment.quality.samples < quality::fewest_samples)
    refuse("too few images are asked for to measure their quality", "quality.samples",
           std::to_string(experiment.quality.samples), enough);
  if (experiment.dataset.holdout > 0 && data.held_out < quality::fewest_samples)
    refuse("the data set holds out too few images to measure quality", "dataset.holdout",
           std::to_string(data.held_out), enough);
}

}  // namespace

void Preflight::report(const ErrorDetails& fault, std::string_view table) {
  for (const config::Diagnostics::Report& report : config::located(*trial_, fault, table))
    diagnostics_.add(report);
}

/// Checks what has this content once, and reports what came of it for the trial at hand.
bool Preflight::passes(const std::string& what, std::string_view table, const std::string& content,
                       const std::function<void()>& check) {
  const auto [verdict, fresh] = verdicts_.try_emplace(what + "\n" + content);
  if (fresh) {
    try {
      check();
    } catch (const Error& error) {
      if (error.details().kind != ErrorKind::usage) throw;
      verdict->second = error.details();
    }
  }
  if (verdict->second) report(*verdict->second, table);
  return !verdict->second;
}

/// Makes every plugin that is quickly made: what is wrong with one is told with what is wrong with the
/// others.
bool Preflight::check_components() {
  const Experiment& e = *trial_;
  const auto makes = [&](const std::string& table, const std::function<void()>& make) {
    return passes("component", table, content_of(e, {table}), make);
  };
  bool sound =
      makes("precision", [&] { registry_.create<PrecisionPolicy>(e.precision.use, e.precision.options); });
  sound &= makes("architecture",
                 [&] { registry_.create<Architecture>(e.architecture.use, e.architecture.options); });
  sound &=
      makes("loss_scaler", [&] { registry_.create<LossScaler>(e.loss_scaler.use, e.loss_scaler.options); });
  sound &= makes("optimizer", [&] {
    registry_.create<Optimizer>(e.optimizer.use, e.optimizer.options);
    for (const auto& [operation, own] : e.optimizer_of) registry_.create<Optimizer>(own.use, own.options);
  });
  if (e.cost.price)
    sound &=
        passes("price", "cost", content_of(e, {"cost"}), [&] { find_price(*e.cost.price, e.cost.prices); });
  const auto makes_element = [&](const char* kind, const std::string& name, const auto& make) {
    return makes(fmt::format("{}.{}", kind, name), [&] { config::within_element(kind, name, make); });
  };
  for (const NamedChoice& element : e.transforms)
    sound &= makes_element(Transform::kind, element.name,
                           [&] { registry_.create<Transform>(element.use, element.options); });
  for (const NamedChoice& element : e.reporters)
    sound &= makes_element(Reporter::kind, element.name,
                           [&] { registry_.create<Reporter>(element.use, element.options); });
  return sound;
}

bool Preflight::check_data() {
  const std::string stored = content_of(*trial_, {"dataset"});
  const std::string content = stored + content_of(*trial_, {"transform"});
  data_ = nullptr;
  if (!passes("data", "dataset", stored, [&] { known_data_.emplace(stored, facts_of(*trial_, registry_)); }))
    return false;
  if (!passes("transforms", "transform", content,
              [&] { known_data_.emplace(content, transformed(known_data_.at(stored), *trial_, registry_)); }))
    return false;
  data_ = &known_data_.at(content);
  return passes("batch", "input", content + std::to_string(trial_->input.batch_size),
                [&] { check_batch(*trial_, *data_); });
}

bool Preflight::check_platform() {
  const std::string content = content_of(*trial_, {"backend", "precision", "architecture"});
  platform_ = nullptr;
  if (!passes("platform", "backend", content,
              [&] { known_platforms_.emplace(content, make_platform(*trial_, registry_)); }))
    return false;
  platform_ = &known_platforms_.at(content);
  return true;
}

bool Preflight::check_graphs() {
  const BatchSpec spec = spec_of(*trial_, *data_);
  graphs_key_ = content_of(*trial_, {"backend", "precision", "architecture", "dataset", "transform"}) +
                std::to_string(spec.batch);
  const bool made = passes("networks", "architecture", graphs_key_, [&] {
    platform_->architecture->sampling(spec);
    known_names_.emplace(graphs_key_, names_of(platform_->architecture->training(spec)));
  });
  if (!made) return false;
  if (const std::int64_t batches = known_names_.at(graphs_key_).batches; batches > 1)
    if (!passes("batches", "input", graphs_key_, [&] { check_batch(*trial_, *data_, batches); }))
      return false;
  bool sound = passes("policy", "precision", graphs_key_, [&] { check_policy(*platform_, spec); });
  const KnownNames& names = known_names_.at(graphs_key_);
  for (const ErrorDetails& fault : unknown_operations(*trial_, names.operations)) {
    report(fault, "optimizer");
    sound = false;
  }
  if (trial_->monitor.every)
    sound &= passes("monitor", "monitor", graphs_key_ + content_of(*trial_, {"monitor"}),
                    [&] { check_monitored(trial_->monitor.values, names.observable); });
  if (trial_->quality.active())
    sound &= passes("quality", "quality", graphs_key_ + content_of(*trial_, {"quality"}),
                    [&] { check_quality(*trial_, *platform_, *data_, spec); });
  return sound;
}

std::int64_t Preflight::samples_per_iteration() const {
  return trial_->input.batch_size * known_names_.at(graphs_key_).batches;
}

bool Preflight::check(const Experiment& experiment, std::size_t number) {
  trial_ = &experiment;
  if (trials_ > 1) diagnostics_.begin_trial(number, trials_, experiment.label);
  const bool components = check_components(), batch = check_data();
  const bool platform = components && check_platform();
  return platform && data_ && check_graphs() && batch;
}

bool Preflight::check_memory(const Experiment& experiment, std::size_t number) {
  if (!check(experiment, number)) return false;
  const std::string content =
      content_of(experiment, {"loss_scaler", "optimizer", "budget", "monitor", "sample"});
  return passes("memory", "input", graphs_key_ + content, [&] {
    if (const auto refusal = memory_refusal(experiment, registry_, *platform_, *data_)) throw Error(*refusal);
  });
}

}  // namespace halfling
