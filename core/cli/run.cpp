// SPDX-License-Identifier: Apache-2.0
// halfling run EXPERIMENT
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <iostream>
#include <nlohmann/json.hpp>

#include "base/json_text.hpp"
#include "base/printable.hpp"
#include "cli/comparison.hpp"
#include "cli/experiment_file.hpp"
#include "cli/rerun.hpp"
#include "cli/results.hpp"
#include "cli/resume_notes.hpp"
#include "cli/table.hpp"
#include "cli/training.hpp"
#include "cli/trials.hpp"
#include "cli/whereabouts.hpp"
#include "halfling/error.hpp"
#include "plan/preflight.hpp"
#include "plugin/registry.hpp"
#include "train/interrupt.hpp"
#include "train/progress.hpp"
#include "train/run_trial.hpp"

namespace halfling::cli {
namespace {

namespace fs = std::filesystem;
namespace po = boost::program_options;

/// Everything that can be found wrong before the first trial trains.
Plan prepare(const po::variables_map& values, const Registry& registry) {
  Plan plan{load(values, registry), {}, {}, {}};
  const auto chosen = chosen_trial(values, plan.loaded);
  const std::vector<Experiment>& trials = plan.loaded.trials;
  check_baseline(trials, values["baseline"].as<std::string>());
  Preflight preflight(registry, trials.size());
  const fs::path out = runs_folder(values, trials.front());
  plan.limits.resize(trials.size());
  for (std::size_t i = 0; i < trials.size(); ++i) {
    plan.folders.emplace_back(out, trials[i]);
    if (chosen && *chosen != i) continue;
    plan.numbers.push_back(i);
    if (!preflight.check_memory(trials[i], i + 1)) continue;
    const std::int64_t samples = preflight.samples_per_iteration();
    plan.limits[i] = limits_of(trials[i].budget, samples, preflight.data().samples / samples);
  }
  preflight.raise();
  if (!values["resume"].as<bool>())
    for (const std::size_t i : plan.numbers)
      plan.folders[i].refuse_begun(finished(plan.folders[i], plan.limits[i]).has_value());
  return plan;
}

/// A reader that has gone, as `| head` does, is no failure of a run: its results are in its folder.
void print_result(const std::string& text) {
  std::cout << text << std::flush;
  if (!std::cout && (errno == EPIPE || errno == EBADF)) std::cout.clear();
}

void list_failures(const Plan& plan, const Results& results, const po::variables_map& values) {
  if (results.failed.empty()) return;
  std::cerr << fmt::format("{} of {} trials failed; to run them again:\n", results.failed.size(),
                           plan.numbers.size());
  for (const auto& [number, error] : results.failed)
    std::cerr << fmt::format("  {}\n    {}\n", printable(plan.loaded.trials[number].label),
                             rerun_command(values, number + 1));
}

std::vector<RunFolder> chosen_folders(const Plan& plan) {
  std::vector<RunFolder> folders;
  for (const std::size_t i : plan.numbers) folders.push_back(plan.folders[i]);
  return folders;
}

int list_trials(const po::variables_map& values, const Registry& registry, bool json_wanted) {
  const LoadedExperiment loaded = load(values, registry);
  if (json_wanted)
    std::cout << json_text(trials_json(loaded), 2) << "\n";
  else
    std::cout << trial_table(loaded);
  return exit_done;
}

bool stands_still(const ComparedRun& run) {
  return run.summary.status == "interrupted";
}

/// "1 trial was", "3 trials were"
std::string trials_text(std::size_t count) {
  return count == 1 ? "1 trial was" : fmt::format("{} trials were", count);
}

/// What is left to do, and the exit status.
int tell_end(const Plan& plan, const Results& results, const po::variables_map& values) {
  const std::size_t left = plan.numbers.size() - results.runs.size() - results.failed.size();
  const auto begun = static_cast<std::size_t>(std::ranges::count_if(results.runs, stands_still));
  const std::string not_started = left == 0 ? "" : trials_text(left) + " not started; ";
  if (interrupted() && left + begun > 0) {
    const std::size_t trial = values.count("trial") != 0 ? plan.numbers.front() + 1 : 0;
    std::cerr << "interrupted; " << not_started << "to continue:\n  " << rerun_command(values, trial) << "\n";
    return exit_interrupted;
  }
  if (left + begun > 0)
    std::cerr << not_started << (begun == 0 ? "" : trials_text(begun) + " not trained to the end; ")
              << "--resume runs them\n";
  return results.failed.empty() ? exit_done : exit_failed;
}

}  // namespace

Grammar run_grammar() {
  Grammar grammar{
      .synopsis = "run EXPERIMENT [options]",
      .description =
          "Trains every trial of an experiment, each in its own folder\n"
          "DIR/<experiment>/<trial>, and prints a table that compares them.\n"
          "EXPERIMENT is a file, or a run folder, whose trial is then run or continued.\n"
          "Ctrl-C ends after the running iteration, with a checkpoint; a second one ends at once."};
  add_experiment(grammar);
  add_trial(grammar);
  grammar.options.add_options()("list-trials", po::bool_switch(),
                                "print the trials, with --format json for programs, and run nothing");
  grammar.options.add_options()("out", po::value<std::string>()->value_name("DIR")->default_value("runs"),
                                "where run folders are made");
  grammar.options.add_options()(
      "init-from", po::value<std::string>()->value_name("CHECKPOINT"),
      "begin with the weights of a checkpoint, or of a run folder's newest; the same "
      "as --set experiment.init_from=CHECKPOINT");
  grammar.options.add_options()("resume", po::bool_switch(),
                                "continue trials that were begun, and finished ones to a larger budget");
  grammar.options.add_options()("quiet", po::bool_switch(), "no status line and no notes");
  grammar.options.add_options()("baseline", po::value<std::string>()->value_name("LABEL")->default_value(""),
                                "the trial that others are compared with, by what it sets, such as "
                                "precision.use=tf32; otherwise the one in fp32");
  add_plugin_path(grammar);
  add_format(grammar);
  return grammar;
}

int run_run(const Values& values) {
  const bool json_wanted = wants_json(values);
  const Registry registry = Registry::scan(plugin_path(values));
  if (values["list-trials"].as<bool>()) return list_trials(values, registry, json_wanted);
  Progress progress(values["quiet"].as<bool>() ? Progress::Mode::quiet : Progress::mode_of_stderr());
  watch_interrupts(!values["quiet"].as<bool>());
  for (const std::string& note : refusal_notes(registry)) progress.note(note);
  const Plan plan = prepare(values, registry);
  for (const std::string& note : plan.loaded.notes) progress.note(note);
  if (values["resume"].as<bool>() && std::ranges::none_of(plan.folders, &RunFolder::begun))
    for (const std::string& note : notes_on_other_runs(plan.loaded.trials[plan.numbers.front()],
                                                       plan.folders[plan.numbers.front()], registry))
      progress.note(note);
  const Results results = Training(plan, registry, values["resume"].as<bool>(), progress).run();
  const std::string baseline = values["baseline"].as<std::string>();
  print_result(json_wanted ? json_text(results_json(plan, results, baseline), 2) + "\n"
                           : comparison(results.runs, baseline, output_width()));
  tell_whereabouts(chosen_folders(plan), progress);
  list_failures(plan, results, values);
  return tell_end(plan, results, values);
}

}  // namespace halfling::cli
