// SPDX-License-Identifier: Apache-2.0
// A file and a command line in, trials out.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>

#include "experiment/experiment.hpp"
#include "experiment/layers.hpp"
#include "experiment/resolver.hpp"
#include "experiment/sweep.hpp"
#include "experiment/vars.hpp"

namespace halfling {

using namespace config;

namespace {

/// The values that one of two trials has and the other has not.
std::vector<const Origin*> differing(const Experiment& a, const Experiment& b) {
  std::vector<const Origin*> result;
  const auto add_missing = [&](const Experiment& from, const Experiment& in) {
    for (const Origin& origin : from.origins) {
      const auto same = std::ranges::find(in.origins, origin.key, &Origin::key);
      if (same == in.origins.end() || (&from == &b && same->value != origin.value)) result.push_back(&origin);
    }
  };
  add_missing(b, a);
  add_missing(a, b);
  return result;
}

/// Of two trials that would share a run folder.
Diagnostics::Report collision(const Experiment& first, const Experiment& second, const std::string& numbers,
                              const Place& sweep) {
  const std::vector<const Origin*> values = differing(first, second);
  if (values.empty())
    return {Fault::sweep, sweep, fmt::format("trials {} of the sweep are the same", numbers),
            "values that differ", fmt::format("both are {}", second.label)};
  std::string keys;
  for (const Origin* value : values) keys += (keys.empty() ? "" : ", ") + value->key;
  const bool budget = values.front()->key.starts_with("budget.");
  return {Fault::sweep, values.front()->place.source ? values.front()->place : sweep,
          fmt::format("trials {} of the sweep learn the same: they differ in {} only", numbers, keys),
          "values that differ in what is learned: neither in budget nor in outputs",
          budget ? "train to the largest budget: it comes by what the smaller ones would have learned"
                 : "run them one by one, each with --set and a folder of its own with --out"};
}

void check_distinct(const std::vector<Experiment>& trials, const Place& sweep, Diagnostics& diagnostics) {
  std::map<std::string, std::size_t> seen;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const auto [first, fresh] = seen.emplace(trials[i].name + "/" + trials[i].id, i);
    if (fresh) continue;
    diagnostics.add(collision(trials[first->second], trials[i],
                              fmt::format("{} and {}", first->second + 1, i + 1), sweep));
    return;
  }
}

Place sweep_place(const Table& root, const Place& file) {
  for (const char* part : {"matrix", "zip", "include", "repeat"})
    if (const config::TomlNode* node = at_path(root, {"sweep", part})) return node->place;
  return file;
}

void keep_first_of_each(std::vector<std::string>& notes) {
  std::vector<std::string> kept;
  for (std::string& note : notes)
    if (std::find(kept.begin(), kept.end(), note) == kept.end()) kept.push_back(std::move(note));
  notes = std::move(kept);
}

}  // namespace

LoadedExperiment load_experiment(const LoadRequest& request, const PluginCatalog& catalog) {
  LoadedExperiment result;
  Diagnostics diagnostics;
  Layers layers(catalog, diagnostics, result.notes);
  auto root = layers.read(request.file);
  const Table overrides = layers.overrides(request.set);
  if (!root) diagnostics.raise();
  check_vars_known(*root, overrides, diagnostics);
  merge(*root, overrides, result.notes, diagnostics);
  const Place matrix = sweep_place(*root, layers.main_file());
  const Sweep sweep = expand_sweep(std::move(*root), overrides, diagnostics, result.notes);
  const std::vector<TrialTree>& trees = sweep.trials;
  result.continue_after_failure = sweep.continue_after_failure;
  result.blocks = sweep.blocks;
  Resolver resolver(catalog, diagnostics);
  for (std::size_t i = 0; i < trees.size(); ++i) {
    if (trees.size() > 1) diagnostics.begin_trial(i + 1, trees.size(), trees[i].label);
    Table tree = trees[i].tree;
    substitute_vars(tree, diagnostics);
    result.trials.push_back(resolver.resolve(tree, layers.main_file()));
    result.trials.back().label = trees[i].label;
    result.trials.back().texts = layers.texts();
  }
  if (diagnostics.empty()) {
    diagnostics.begin_trial(0, 0, {});
    check_distinct(result.trials, matrix, diagnostics);
  }
  diagnostics.raise();
  keep_first_of_each(result.notes);
  // An order that depends on the content only, and has nothing to do with what is compared.
  if (sweep.shuffled) std::ranges::sort(result.trials, {}, &Experiment::id);
  return result;
}

std::string names_of(const std::vector<NamedChoice>& list) {
  std::string names;
  for (const NamedChoice& element : list) names += (names.empty() ? "" : ", ") + element.name;
  return names;
}

const OptimizerSettings& Experiment::optimizer_for(std::string_view operation) const {
  const auto found = optimizer_of.find(operation);
  return found == optimizer_of.end() ? optimizer : found->second;
}

Options backend_options(const Experiment& experiment, const PluginDescriptor& backend) {
  Options options = experiment.backend.options;
  for (const OptionDeclaration& option : std::span(backend.options, backend.option_count)) {
    if (options.values().contains(option.name)) continue;
    if (!option.default_toml)
      throw Error(
          {.what = fmt::format("the backend \"{}\" needs the option \"{}\"", backend.name, option.name),
           .where = "backend",
           .expected = option.help,
           .hint = fmt::format("write use = \"{}\" and {} = ... under [backend]", backend.name, option.name),
           .kind = ErrorKind::usage});
    options.set(option.name, default_value({option}, fmt::format("{} {}", backend.name, backend.version)));
  }
  return options;
}

}  // namespace halfling
