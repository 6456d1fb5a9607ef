// SPDX-License-Identifier: Apache-2.0
// halfling diff A B
#include <fmt/format.h>

#include <iostream>
#include <nlohmann/json.hpp>

#include "cli/differences.hpp"
#include "cli/experiment_file.hpp"
#include "cli/table.hpp"
#include "halfling/error.hpp"
#include "plugin/registry.hpp"

namespace halfling::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

Grammar diff_grammar() {
  Grammar grammar{.synopsis = "diff A B [options]",
                  .description =
                      "Compares two experiments by their resolved values. A and B are experiment files or\n"
                      "run folders; of a sweep, its first trial is compared, or the one that --trial names.",
                  .positional = {"a", "b"}};
  add_trial(grammar);
  add_plugin_path(grammar);
  add_format(grammar);
  return grammar;
}

Experiment trial_of(const boost::program_options::variables_map& values, const char* name,
                    const PluginCatalog& catalog) {
  fs::path file = values[name].as<std::string>();
  std::error_code none;
  if (fs::is_directory(file, none) && fs::exists(file / "experiment.toml", none)) file /= "experiment.toml";
  const LoadedExperiment loaded = load_experiment({file, {}}, catalog);
  const auto chosen = loaded.trials.size() == 1 ? std::nullopt : chosen_trial(values, loaded);
  const Experiment& trial = loaded.trials[chosen.value_or(0)];
  if (!chosen && loaded.trials.size() > 1)
    std::cerr << fmt::format("{}: trial 1 of {}: {}\n", file.string(), loaded.trials.size(), trial.label);
  return trial;
}

void print_text(const std::vector<Difference>& differences) {
  std::vector<Row> rows{{"KEY", "A", "B"}};
  for (const Difference& d : differences)
    rows.push_back({d.key, d.a.empty() ? "-" : d.a, d.b.empty() ? "-" : d.b});
  if (differences.empty())
    std::cerr << "no value differs\n";
  else
    std::cout << table(std::move(rows), output_width(),
                       {{"A", Narrowing::How::cut_end}, {"B", Narrowing::How::cut_end}});
}

void print_json(const std::vector<Difference>& differences) {
  ordered_json result = ordered_json::array();
  for (const Difference& d : differences) {
    ordered_json entry = {{"key", d.key}, {"a", nullptr}, {"b", nullptr}};
    if (!d.a.empty()) entry["a"] = d.a;
    if (!d.b.empty()) entry["b"] = d.b;
    result.push_back(std::move(entry));
  }
  std::cout << result.dump(2) << "\n";
}

}  // namespace

int run_diff(const Arguments& arguments) {
  const auto values = parse(diff_grammar(), arguments);
  if (!values) return exit_done;
  const bool json_wanted = wants_json(*values);
  if (values->count("a") == 0 || values->count("b") == 0)
    throw Error({.what = "two experiments are needed",
                 .where = {},
                 .got = {},
                 .expected = "halfling diff A B, experiment files or run folders",
                 .hint = {},
                 .kind = ErrorKind::usage});
  const Registry registry = Registry::scan(plugin_path(*values));
  const Experiment a = trial_of(*values, "a", registry), b = trial_of(*values, "b", registry);
  json_wanted ? print_json(differences(a, b)) : print_text(differences(a, b));
  return exit_done;
}

}  // namespace halfling::cli
