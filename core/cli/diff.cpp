// SPDX-License-Identifier: Apache-2.0
// halfling diff A B...
#include <fmt/format.h>

#include <iostream>
#include <nlohmann/json.hpp>

#include "base/json_text.hpp"
#include "base/printable.hpp"
#include "cli/differences.hpp"
#include "cli/experiment_file.hpp"
#include "cli/table.hpp"
#include "halfling/error.hpp"
#include "plugin/registry.hpp"
#include "run/run_record.hpp"

namespace halfling::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

constexpr std::size_t most_compared = 26;  // letters

/// The files of what was named: of a folder of runs, one for each.
std::vector<fs::path> files_of(const fs::path& named) {
  const fs::path file = experiment_path(named);
  std::error_code none;
  if (!fs::is_directory(file, none)) return {file};
  std::vector<fs::path> files;
  for (const fs::path& run : runs_in(named)) files.push_back(run / "experiment.toml");
  return files;
}

Experiment trial_of(const boost::program_options::variables_map& values, const fs::path& file,
                    const PluginCatalog& catalog) {
  const LoadedExperiment loaded = load_experiment({file, {}}, catalog);
  const auto chosen = loaded.trials.size() == 1 ? std::nullopt : chosen_trial(values, loaded);
  const Experiment& trial = loaded.trials[chosen.value_or(0)];
  if (!chosen && loaded.trials.size() > 1)
    std::cerr << fmt::format("{}: trial 1 of {}: {}\n", printable(file.string()), loaded.trials.size(),
                             printable(trial.label));
  return trial;
}

std::string letter(std::size_t index, char first) {
  return std::string(1, static_cast<char>(first + static_cast<char>(index)));
}

void print_text(const std::vector<fs::path>& files, const std::vector<Difference>& differences) {
  Row heading{"KEY"};
  std::vector<Narrowing> steps;
  for (std::size_t i = 0; i < files.size(); ++i) {
    heading.push_back(letter(i, 'A'));
    steps.push_back({heading.back(), Narrowing::How::cut_end});
    if (files.size() > 2) std::cerr << letter(i, 'A') << ": " << printable(files[i].string()) << "\n";
  }
  std::vector<Row> rows{heading};
  for (const Difference& difference : differences) {
    Row& row = rows.emplace_back(1, difference.key);
    for (const std::string& value : difference.values) row.push_back(value.empty() ? "-" : value);
  }
  if (differences.empty())
    std::cerr << "no value differs\n";
  else
    std::cout << table(std::move(rows), output_width(), steps);
}

void print_json(const std::vector<Difference>& differences) {
  ordered_json result = ordered_json::array();
  for (const Difference& difference : differences) {
    ordered_json entry = {{"key", difference.key}};
    for (std::size_t i = 0; i < difference.values.size(); ++i)
      entry[letter(i, 'a')] =
          difference.values[i].empty() ? ordered_json() : ordered_json(difference.values[i]);
    result.push_back(std::move(entry));
  }
  std::cout << json_text(result, 2) << "\n";
}

}  // namespace

Grammar diff_grammar() {
  Grammar grammar{
      .synopsis = "diff A B... [options]",
      .description =
          "Compares experiments by their resolved values. A and B are experiment files, run folders\n"
          "or folders of run folders, whose runs are all compared; of a sweep, its first trial is\n"
          "compared, or the one that --trial names.",
      .repeated = "what"};
  add_trial(grammar);
  add_plugin_path(grammar);
  add_format(grammar);
  return grammar;
}

int run_diff(const Values& values) {
  const bool json_wanted = wants_json(values);
  std::vector<fs::path> files;
  if (values.count("what") != 0)
    for (const std::string& named : values["what"].as<Arguments>())
      for (fs::path& file : files_of(named)) files.push_back(std::move(file));
  if (files.size() < 2 || files.size() > most_compared)
    throw Error({.what = "two experiments are needed, and no more than 26",
                 .where = {},
                 .got = std::to_string(files.size()),
                 .expected = "halfling diff A B..., experiment files, run folders or a folder of them",
                 .hint = {},
                 .kind = ErrorKind::usage});
  const Registry registry = Registry::scan(plugin_path(values));
  std::vector<Experiment> trials;
  for (const fs::path& file : files) trials.push_back(trial_of(values, file, registry));
  std::vector<const Experiment*> compared;
  for (const Experiment& trial : trials) compared.push_back(&trial);
  const std::vector<Difference> found = differences(compared);
  json_wanted ? print_json(found) : print_text(files, found);
  return exit_done;
}

}  // namespace halfling::cli
