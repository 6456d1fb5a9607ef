// SPDX-License-Identifier: Apache-2.0
#include "cli/guesses.hpp"

#include <algorithm>
#include <span>
#include <sstream>

#include "experiment/keys.hpp"
#include "halfling/error.hpp"
#include "plugin/registry.hpp"

namespace halfling::cli {
namespace {

struct Guess {
  const char* words;  ///< with blanks between
  const char* hint;
};

constexpr Guess commands[] = {
    {"train start execute", "`halfling run EXPERIMENT` trains"},
    {"validate check verify lint dry-run test estimate",
     "`halfling plan EXPERIMENT` checks an experiment, and runs nothing"},
    {"list ls trials",
     "`halfling runs` lists runs, `halfling plan EXPERIMENT` trials, `halfling plugins` plugins, `halfling "
     "devices` "
     "devices"},
    {"show view print get inspect config",
     "`halfling explain EXPERIMENT` shows every value, `halfling plan EXPERIMENT` the layers, `halfling "
     "report "
     "RUN` a run"},
    {"describe info", "`halfling plugins describe NAME` says what a plugin takes"},
    {"dataset datasets preview classes contact-sheet",
     "`halfling data EXPERIMENT --out FILE` shows what the network sees"},
    {"resume continue", "`halfling run EXPERIMENT --resume` continues a run"},
    {"compare", "`halfling report RUN...` compares results, `halfling diff A B` values"},
    {"results summary plot html", "`halfling report RUN...` writes a page about runs"},
    {"generate draw images", "`halfling sample RUN --out FILE` draws images"},
    {"create template scaffold generate-plugin",
     "`halfling init FILE` writes an experiment to start from, `halfling new KIND NAME` a plugin"},
    {"gpus gpu backends hardware", "`halfling devices` lists backends and devices"},
};

constexpr Guess options[] = {
    {"json", "--format json"},
    {"output output-dir outdir out-dir dir o", "--out"},
};

constexpr Guess experiment_options[] = {
    {"device gpu cpu cuda backend", "--set backend.use=NAME"},
    {"dry-run dryrun check validate n", "`halfling plan EXPERIMENT` checks an experiment, and runs nothing"},
    {"lr", "--set optimizer.learning_rate=NUMBER"},
    {"batch batchsize bs b", "--set input.batch_size=NUMBER"},
    {"steps max-steps iters", "--set budget.iterations=NUMBER"},
    {"duration minutes max-time", "--set budget.time=7min"},
    {"num-workers j", "--set input.workers=NUMBER"},
    {"amp half fp16 bf16 dtype", "--set precision.use=mixed"},
    {"fp32", "--set precision.use=fp32"},
    {"config file experiment c f", "the experiment's file is given without an option"},
    {"continue", "--resume"},
    {"force overwrite", "a run is never overwritten: --out DIR names another folder"},
    {"list", "--list-trials"},
    {"silent q", "--quiet"},
    {"param override D s", "--set KEY=VALUE"},
};

std::string hint_of(std::span<const Guess> guesses, const std::string& word) {
  for (const Guess& guess : guesses) {
    std::istringstream words(guess.words);
    for (std::string known; words >> known;)
      if (word == known) return guess.hint;
  }
  return {};
}

/// "--set experiment.seed=VALUE", for "seed": the first key that ends in the word, or `use` of a table.
std::string setting_named(std::string word) {
  std::ranges::replace(word, '-', '_');
  try {
    for (const KnownKey& key : known_keys(Registry::scan()))
      if (key.name.ends_with("." + word) || key.name == word + ".use") return "--set " + key.name + "=VALUE";
  } catch (const Error&) {  // no plugins can be looked at; the command line is wrong all the same
  }
  return {};
}

}  // namespace

std::string hint_for_command(const std::string& command) {
  if (command.starts_with("-")) return "options follow the command: halfling run EXPERIMENT " + command;
  return hint_of(commands, command);
}

std::string hint_for_option(const std::string& option, bool settings) {
  std::string hint = hint_of(options, option);
  if (hint.empty() && settings) hint = hint_of(experiment_options, option);
  if (hint.empty() && settings) hint = setting_named(option);
  return hint;
}

}  // namespace halfling::cli
