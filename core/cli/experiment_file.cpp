// SPDX-License-Identifier: Apache-2.0
#include "cli/experiment_file.hpp"

#include <fmt/format.h>

#include "halfling/error.hpp"

namespace halfling::cli {

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

LoadedExperiment load(const po::variables_map& values, const PluginCatalog& catalog) {
  if (values.count("experiment") == 0)
    throw Error({.what = "an experiment file is missing",
                 .where = {},
                 .got = {},
                 .expected = "halfling COMMAND EXPERIMENT, such as experiments/quickstart.toml",
                 .hint = {},
                 .kind = ErrorKind::usage});
  LoadRequest request{values["experiment"].as<std::string>(), {}};
  if (values.count("set") != 0) request.set = values["set"].as<Arguments>();
  return load_experiment(request, catalog);
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
