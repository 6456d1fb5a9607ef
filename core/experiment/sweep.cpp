// SPDX-License-Identifier: Apache-2.0
#include "experiment/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "experiment/element_list.hpp"
#include "experiment/sweep_axes.hpp"
#include "experiment/vars.hpp"

namespace halfling::config {
namespace {

constexpr std::size_t most_trials = 10'000;

bool matches(const Settings& trial, const Settings& exclude) {
  return !exclude.empty() && std::ranges::all_of(exclude, [&](const Setting& wanted) {
    return std::ranges::any_of(trial, [&](const Setting& setting) {
      return setting.path == wanted.path && same_value(*setting.value, *wanted.value);
    });
  });
}

/// Every combination, the last axis fastest.
std::vector<Settings> product(const std::vector<Axis>& axes) {
  std::vector<Settings> result{{}};
  for (const Axis& axis : axes) {
    std::vector<Settings> longer;
    for (const Settings& settings : result)
      for (const Settings& more : axis) {
        longer.push_back(settings);
        longer.back().insert(longer.back().end(), more.begin(), more.end());
      }
    result = std::move(longer);
  }
  return result;
}

void drop_excluded(std::vector<Settings>& trials, const SweepTable& sweep, Diagnostics& diagnostics) {
  std::vector<bool> used(sweep.exclude.size(), false);
  std::erase_if(trials, [&](const Settings& trial) {
    bool drop = false;
    for (std::size_t i = 0; i < sweep.exclude.size(); ++i)
      if (matches(trial, sweep.exclude[i])) drop = used[i] = true;
    return drop;
  });
  for (std::size_t i = 0; i < used.size() && diagnostics.empty(); ++i)
    if (!used[i] && !sweep.exclude[i].empty())
      diagnostics.add({Fault::sweep,
                       sweep.exclude_places[i],
                       "this excludes no trial",
                       {},
                       "its values must all be those of one trial"});
}

/// The axis that makes the trials too many; the included ones where they do; null where neither does.
const Axis* too_many(const SweepTable& sweep) {
  const std::size_t axes = sweep.axes.size() - (sweep.has_seeds ? 1 : 0);
  std::size_t count = sweep.has_product ? 1 : 0;
  for (std::size_t i = 0; i < axes; ++i)
    if ((count *= sweep.axes[i].size()) > most_trials) return &sweep.axes[i];
  count += sweep.include.size();
  if (count > most_trials) return &sweep.include;
  if (sweep.has_seeds && count * sweep.axes.back().size() > most_trials) return &sweep.axes.back();
  return nullptr;
}

Place place_of(const Axis& axis) {
  const auto set = std::ranges::find_if(axis, [](const Settings& settings) { return !settings.empty(); });
  return set == axis.end() ? Place{} : set->front().entry->place;
}

/// Reports where there are too many.
bool countable(const SweepTable& sweep, Diagnostics& diagnostics) {
  const Axis* axis = too_many(sweep);
  if (!axis) return true;
  diagnostics.add(
      {Fault::sweep, place_of(*axis), fmt::format("the sweep has more than {} trials", most_trials)});
  return false;
}

std::vector<Settings> combinations(const SweepTable& sweep, Diagnostics& diagnostics) {
  std::vector<Axis> axes = sweep.axes;
  Axis seeds;
  if (sweep.has_seeds) {
    seeds = std::move(axes.back());
    axes.pop_back();
  }
  std::vector<Settings> single = sweep.has_product ? product(axes) : std::vector<Settings>{};
  drop_excluded(single, sweep, diagnostics);
  single.insert(single.end(), sweep.include.begin(), sweep.include.end());
  if (seeds.empty()) return single;
  std::vector<Settings> result;
  const bool by_seed = sweep.order == "by_seed";
  for (std::size_t i = 0; i < single.size() * seeds.size(); ++i) {
    result.push_back(single[by_seed ? i % single.size() : i / seeds.size()]);
    result.back().push_back(seeds[by_seed ? i / single.size() : i % seeds.size()].front());
  }
  return result;
}

std::string label_of(const Settings& settings) {
  std::string label;
  for (const Setting& setting : settings) {
    std::string key;
    for (const std::string& part : setting.path) key += (key.empty() ? "" : ".") + part;
    label += fmt::format("{}{}={}", label.empty() ? "" : ", ", key, short_text(*setting.value));
  }
  return label;
}

}  // namespace

Sweep expand_sweep(Table root, const Table& overrides, Diagnostics& diagnostics,
                   std::vector<std::string>& notes) {
  Sweep result;
  const Entry* found = find(root, "sweep");
  if (!found) {
    result.trials.push_back({{}, std::move(root)});
    return result;
  }
  const Entry entry = *found;
  remove_key(root, "sweep");
  const SweepTable sweep = read_sweep(entry, overrides, diagnostics, notes);
  result.continue_after_failure = sweep.continue_after_failure;
  result.shuffled = sweep.order == "shuffled";
  result.blocks = sweep.blocks;
  if (!countable(sweep, diagnostics)) return result;
  for (const Settings& settings : combinations(sweep, diagnostics)) {
    TrialTree& trial = result.trials.emplace_back(TrialTree{label_of(settings), root});
    Table layer;
    for (const Setting& setting : settings) put(layer, setting.path, setting.entry->place, *setting.value);
    check_vars_known(root, layer, diagnostics);
    name_elements(layer, diagnostics);
    merge(trial.tree, layer, notes, diagnostics);
  }
  if (result.trials.empty() && diagnostics.empty())
    diagnostics.add({Fault::sweep, entry.place, "the sweep has no trials", {}, "everything is excluded"});
  return result;
}

}  // namespace halfling::config
