// SPDX-License-Identifier: Apache-2.0
// halfling run EXPERIMENT
#include <fmt/format.h>

#include <iostream>

#include "cli/comparison.hpp"
#include "cli/experiment_file.hpp"
#include "halfling/error.hpp"
#include "plugin/registry.hpp"
#include "report/progress.hpp"
#include "train/interrupt.hpp"
#include "train/preflight.hpp"
#include "train/trainer.hpp"

namespace halfling::cli {
namespace {

namespace fs = std::filesystem;

Grammar run_grammar() {
  Grammar grammar{
      .synopsis = "run EXPERIMENT [options]",
      .description =
          "Trains every trial of an experiment file, each in its own folder\n"
          "DIR/<experiment>/<trial>, and prints a table that compares them.\n"
          "Ctrl-C ends after the running iteration, with a checkpoint; a second one ends at once."};
  namespace po = boost::program_options;
  add_experiment(grammar);
  grammar.options.add_options()("out", po::value<std::string>()->value_name("DIR")->default_value("runs"),
                                "where run folders are made");
  grammar.options.add_options()("resume", po::bool_switch(),
                                "continue trials that were begun, and leave finished ones as they are");
  grammar.options.add_options()("quiet", po::bool_switch(), "no status line and no notes");
  add_plugin_path(grammar);
  return grammar;
}

struct Plan {
  LoadedExperiment loaded;
  std::vector<RunFolder> folders;  ///< by trial
};

/// Everything that can be found wrong before the first trial trains.
Plan prepare(const boost::program_options::variables_map& values, const Registry& registry) {
  Plan plan{load(values, registry), {}};
  Preflight preflight(registry);
  const fs::path out = values["out"].as<std::string>();
  for (const Experiment& trial : plan.loaded.trials) {
    plan.folders.emplace_back(out, trial);
    if (!values["resume"].as<bool>()) plan.folders.back().refuse_begun();
    preflight.check(trial);
  }
  return plan;
}

std::string title(const Experiment& trial, std::size_t number, std::size_t of, const RunFolder& folder) {
  std::string text = of > 1 ? fmt::format("[{}/{}] ", number, of) : "";
  text += trial.name;
  if (!trial.label.empty()) text += ": " + trial.label;
  return text + " in " + folder.path().string();
}

std::string not_started(std::size_t count) {
  return count == 0 ? "" : fmt::format("{} of the trials were not started; ", count);
}

/// Appends the summaries of the trials that ran, or had run before.
void train_all(const Plan& plan, const Registry& registry, Progress& progress,
               std::vector<Summary>& summaries) {
  const std::size_t count = plan.loaded.trials.size();
  for (std::size_t i = 0; i < count && !interrupted(); ++i) {
    const RunFolder& folder = plan.folders[i];
    progress.note(title(plan.loaded.trials[i], i + 1, count, folder));
    if (folder.finished()) {
      progress.note("  has run already");
      summaries.push_back(*read_summary(folder.summary()));
    } else {
      summaries.push_back(run_trial(plan.loaded.trials[i], registry, folder, progress));
    }
  }
}

}  // namespace

int run_run(const Arguments& arguments) {
  const auto values = parse(run_grammar(), arguments);
  if (!values) return exit_done;
  const Registry registry = Registry::scan(plugin_path(*values));
  const Plan plan = prepare(*values, registry);
  Progress progress((*values)["quiet"].as<bool>() ? Progress::Mode::quiet : Progress::mode_of_stderr());
  for (const std::string& note : plan.loaded.notes) progress.note(note);
  watch_interrupts();
  const std::size_t count = plan.loaded.trials.size();
  std::vector<Summary> summaries;
  try {
    train_all(plan, registry, progress, summaries);
  } catch (const Error&) {
    std::cout << comparison(summaries);
    if (const std::size_t left = count - summaries.size() - 1; left > 0)
      std::cerr << not_started(left) << "one failed:\n";
    throw;
  }
  std::cout << comparison(summaries);
  const bool cut = summaries.empty() || summaries.back().status == "interrupted";
  if (!cut && summaries.size() == count) return exit_done;
  std::cerr << "interrupted; " << not_started(count - summaries.size()) << "--resume continues\n";
  return exit_interrupted;
}

}  // namespace halfling::cli
