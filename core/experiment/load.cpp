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

// Two equal trials would share a run folder.
void check_distinct(const std::vector<Experiment>& trials, const Place& place, Diagnostics& diagnostics) {
  std::map<std::string, std::size_t> seen;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const auto [first, fresh] = seen.emplace(trials[i].id, i);
    if (fresh) continue;
    diagnostics.add({Fault::sweep, place,
                     fmt::format("trials {} and {} of the sweep are the same", first->second + 1, i + 1),
                     "values that differ", fmt::format("both are {}", trials[i].label)});
    return;
  }
}

Place sweep_place(const Table& root, const Place& file) {
  for (const char* part : {"matrix", "zip", "include", "repeat"})
    if (const config::Node* node = at_path(root, {"sweep", part})) return node->place;
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
  Layers layers(diagnostics, result.notes);
  auto root = layers.read(request.file);
  const Table overrides = layers.overrides(request.set);
  if (!root) diagnostics.raise();
  check_vars_known(*root, overrides, diagnostics);
  merge(*root, overrides, result.notes, diagnostics);
  const Place matrix = sweep_place(*root, layers.main_file());
  const Sweep sweep = expand_sweep(std::move(*root), overrides, diagnostics, result.notes);
  const std::vector<TrialTree>& trees = sweep.trials;
  result.continue_after_failure = sweep.continue_after_failure;
  Resolver resolver(catalog, diagnostics);
  for (std::size_t i = 0; i < trees.size(); ++i) {
    if (trees.size() > 1) diagnostics.begin_trial(i + 1, trees.size(), trees[i].label);
    Table tree = trees[i].tree;
    substitute_vars(tree, diagnostics);
    result.trials.push_back(resolver.resolve(tree, layers.main_file()));
    result.trials.back().label = trees[i].label;
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

const Options& Experiment::optimizer_options(std::string_view operation) const {
  const auto found = optimizer_of.find(operation);
  return found == optimizer_of.end() ? optimizer.options : found->second;
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
