// SPDX-License-Identifier: Apache-2.0
// halfling explain EXPERIMENT [KEY]
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>

#include "base/json_text.hpp"
#include "base/printable.hpp"
#include "base/suggest.hpp"
#include "cli/experiment_file.hpp"
#include "cli/table.hpp"
#include "halfling/error.hpp"
#include "plugin/registry.hpp"

namespace halfling::cli {
namespace {

using nlohmann::ordered_json;

/// The values of a key, or of all keys of a table; all of them where `key` is empty.
std::vector<Origin> selected(const Experiment& trial, const std::string& key) {
  std::vector<Origin> result;
  std::vector<std::string> known;
  for (const Origin& origin : trial.origins) {
    known.push_back(origin.key);
    for (std::size_t dot = origin.key.find('.'); dot != std::string::npos;
         dot = origin.key.find('.', dot + 1))
      known.push_back(origin.key.substr(0, dot));
    if (key.empty() || origin.key == key || origin.key.starts_with(key + ".")) result.push_back(origin);
  }
  if (!result.empty()) return result;
  throw Error({.what = "the experiment has no value of this name",
               .where = "KEY",
               .got = key,
               .expected = "a key or a table that `halfling explain EXPERIMENT` lists",
               .hint = did_you_mean(key, known),
               .kind = ErrorKind::usage});
}

void print_text(const std::vector<Origin>& origins) {
  std::vector<Row> rows = {{"KEY", "VALUE", "FROM", "INSTEAD OF"}};
  for (const Origin& origin : origins)
    rows.push_back(
        {origin.key, origin.value, origin.from, fmt::format("{}", fmt::join(origin.overrode, ", "))});
  using How = Narrowing::How;
  const auto fresh = [](const Origin& origin) { return origin.overrode.empty(); };
  std::vector<Narrowing> steps = {{"VALUE", How::cut_end, 24},  {"INSTEAD OF", How::cut_begin, 16},
                                  {"FROM", How::cut_begin, 24}, {"INSTEAD OF", How::drop},
                                  {"VALUE", How::cut_end},      {"FROM", How::cut_begin}};
  if (std::ranges::all_of(origins, fresh)) steps.insert(steps.begin(), {"INSTEAD OF", How::drop});
  std::cout << table(std::move(rows), output_width(), steps);
}

void print_json(const Experiment& trial, const std::vector<Origin>& origins) {
  ordered_json result = {{"experiment", trial.name}, {"trial", trial.id}, {"label", trial.label}};
  result["values"] = ordered_json::array();
  for (const Origin& origin : origins)
    result["values"].push_back(
        {{"key", origin.key}, {"value", origin.value}, {"from", origin.from}, {"overrode", origin.overrode}});
  std::cout << json_text(result, 2) << "\n";
}

}  // namespace

Grammar explain_grammar() {
  Grammar grammar{.synopsis = "explain EXPERIMENT [KEY] [options]",
                  .description =
                      "Lists every value of a trial, where it came from and what it replaced.\n"
                      "KEY is a key such as optimizer.beta1, or a table such as optimizer.",
                  .positional = {"key"}};
  add_experiment(grammar);
  add_trial(grammar);
  add_plugin_path(grammar);
  add_format(grammar);
  return grammar;
}

int run_explain(const Values& values) {
  const bool json_wanted = wants_json(values);
  const Registry registry = Registry::scan(plugin_path(values));
  const LoadedExperiment loaded = load(values, registry);
  const auto chosen = chosen_trial(values, loaded);
  const Experiment& trial = loaded.trials[chosen.value_or(0)];
  const std::string key = values.count("key") ? values["key"].as<std::string>() : "";
  const std::vector<Origin> origins = selected(trial, key);
  for (const std::string& note : loaded.notes) std::cerr << printable(note) << "\n";
  if (!chosen && loaded.trials.size() > 1)
    std::cerr << fmt::format("trial 1 of {}: {}; --trial N explains another\n", loaded.trials.size(),
                             printable(trial.label));
  json_wanted ? print_json(trial, origins) : print_text(origins);
  return exit_done;
}

}  // namespace halfling::cli
