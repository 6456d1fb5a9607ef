// SPDX-License-Identifier: Apache-2.0
#include "cli/experiment_file.hpp"

#include <fmt/format.h>

#include "experiment/value.hpp"
#include "halfling/error.hpp"
#include "run/summary.hpp"

namespace halfling::cli {

namespace fs = std::filesystem;
namespace po = boost::program_options;

void add_experiment(Grammar& grammar) {
  grammar.positional.insert(grammar.positional.begin(), "experiment");
  grammar.options.add_options()("set", po::value<Arguments>()->value_name("KEY=VALUE"),
                                "replace a value of the experiment; may be given several times");
}

void add_trial(Grammar& grammar) {
  grammar.options.add_options()("trial", po::value<std::int64_t>()->value_name("N"),
                                "only this trial of a sweep, from 1");
}

fs::path experiment_path(const fs::path& named) {
  std::error_code none;
  const fs::path inside = named / "experiment.toml";
  return fs::is_directory(named, none) && fs::exists(inside, none) ? inside : named;
}

fs::path runs_folder(const po::variables_map& values, const Experiment& trial) {
  fs::path out = values["out"].as<std::string>();
  const fs::path named = values["experiment"].as<std::string>(), file = experiment_path(named);
  if (!values["out"].defaulted() || file == named) return out;
  const fs::path experiment = fs::absolute(file).lexically_normal().parent_path().parent_path();
  return experiment.filename() == trial.name ? fs::proximate(experiment.parent_path()) : out;
}

LoadedExperiment load(const po::variables_map& values, const PluginCatalog& catalog) {
  if (values.count("experiment") == 0)
    throw Error(
        {.what = "an experiment file is missing",
         .where = {},
         .got = {},
         .expected = "halfling COMMAND EXPERIMENT, such as experiments/quickstart.toml or a run folder",
         .hint = {},
         .kind = ErrorKind::usage});
  const fs::path named = values["experiment"].as<std::string>();
  LoadRequest request{experiment_path(named), {}};
  if (values.count("set") != 0) request.set = values["set"].as<Arguments>();
  if (values.count("init-from") != 0)
    request.set.push_back("experiment.init_from=" +
                          config::toml_string(values["init-from"].as<std::string>()));
  LoadedExperiment loaded = load_experiment(request, catalog);
  if (const auto summary = read_summary(named / "summary.json"); summary && request.set.empty())
    loaded.trials.front().label = summary->label;
  return loaded;
}

std::optional<std::size_t> chosen_trial(const po::variables_map& values, const LoadedExperiment& loaded) {
  if (values.count("trial") == 0) return std::nullopt;
  const auto number = values["trial"].as<std::int64_t>();
  const std::size_t count = loaded.trials.size();
  if (number >= 1 && static_cast<std::size_t>(number) <= count) return static_cast<std::size_t>(number - 1);
  throw Error({.what = "the experiment has no such trial",
               .where = "--trial",
               .got = std::to_string(number),
               .expected = count == 1 ? "1, there is only one" : fmt::format("a number from 1 to {}", count),
               .hint = "`halfling plan EXPERIMENT` lists the trials",
               .kind = ErrorKind::usage});
}

}  // namespace halfling::cli
