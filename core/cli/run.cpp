// SPDX-License-Identifier: Apache-2.0
// halfling run EXPERIMENT
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <iostream>
#include <new>
#include <nlohmann/json.hpp>

#include "cli/comparison.hpp"
#include "cli/experiment_file.hpp"
#include "cli/rerun.hpp"
#include "cli/resume_notes.hpp"
#include "cli/table.hpp"
#include "cli/trials.hpp"
#include "cli/whereabouts.hpp"
#include "halfling/error.hpp"
#include "plugin/registry.hpp"
#include "report/progress.hpp"
#include "train/forecast.hpp"
#include "train/interrupt.hpp"
#include "train/preflight.hpp"
#include "train/trainer.hpp"

namespace halfling::cli {
namespace {

namespace fs = std::filesystem;
namespace po = boost::program_options;

Grammar run_grammar() {
  Grammar grammar{
      .synopsis = "run EXPERIMENT [options]",
      .description =
          "Trains every trial of an experiment file, each in its own folder\n"
          "DIR/<experiment>/<trial>, and prints a table that compares them.\n"
          "Ctrl-C ends after the running iteration, with a checkpoint; a second one ends at once."};
  add_experiment(grammar);
  add_trial(grammar);
  grammar.options.add_options()("list-trials", po::bool_switch(),
                                "print the trials, with --format json for programs, and run nothing");
  grammar.options.add_options()("out", po::value<std::string>()->value_name("DIR")->default_value("runs"),
                                "where run folders are made");
  grammar.options.add_options()("resume", po::bool_switch(),
                                "continue trials that were begun, and leave finished ones as they are");
  grammar.options.add_options()("quiet", po::bool_switch(), "no status line and no notes");
  add_plugin_path(grammar);
  add_format(grammar);
  return grammar;
}

struct Plan {
  LoadedExperiment loaded;
  std::vector<RunFolder> folders;    ///< by trial
  std::vector<std::size_t> numbers;  ///< of the trials to run, from 0
};

/// Everything that can be found wrong before the first trial trains.
Plan prepare(const po::variables_map& values, const Registry& registry) {
  Plan plan{load(values, registry), {}, {}};
  const auto chosen = chosen_trial(values, plan.loaded);
  Preflight preflight(registry);
  const fs::path out = values["out"].as<std::string>();
  for (std::size_t i = 0; i < plan.loaded.trials.size(); ++i) {
    const Experiment& trial = plan.loaded.trials[i];
    plan.folders.emplace_back(out, trial);
    if (chosen && *chosen != i) continue;
    plan.numbers.push_back(i);
    if (!values["resume"].as<bool>()) plan.folders.back().refuse_begun();
    preflight.check_memory(trial);
  }
  return plan;
}

std::string title(const Experiment& trial, std::size_t number, std::size_t of, const RunFolder& folder) {
  std::string text = of > 1 ? fmt::format("[{}/{}] ", number, of) : "";
  text += trial.name;
  if (!trial.label.empty()) text += ": " + trial.label;
  return text + " in " + folder.path().string();
}

struct Results {
  std::vector<Summary> summaries;  ///< of the trials that ran, or had run before
  std::vector<std::size_t> failed;
};

/// Memory that runs out although the prediction fitted is told as one that did not fit.
Summary train_one(const Experiment& trial, const Registry& registry, const RunFolder& folder, bool resume,
                  Progress& progress) {
  std::string what = "memory ran out";
  try {
    return run_trial(trial, registry, folder, progress, resume);
  } catch (const std::bad_alloc&) {
  } catch (const OutOfMemory& shortage) {
    what = fmt::format("the device's memory ran out: {} bytes more were asked for, {} were free",
                       shortage.bytes(), shortage.free());
  }
  Preflight preflight(registry);
  preflight.check(trial);
  throw memory_error(std::move(what), trial, forecast(trial, registry, preflight.engine(), preflight.data()),
                     preflight.engine());
}

/// A trial's error is shown at once; what happens then, [sweep] on_failure says. A single trial throws it.
void train_all(const Plan& plan, const Registry& registry, bool resume, Progress& progress,
               Results& results) {
  const std::size_t count = plan.loaded.trials.size();
  for (const std::size_t i : plan.numbers) {
    if (interrupted()) return;
    const RunFolder& folder = plan.folders[i];
    progress.note(title(plan.loaded.trials[i], i + 1, count, folder));
    if (folder.finished()) {
      progress.note("  has run already");
      results.summaries.push_back(*read_summary(folder.summary()));
      continue;
    }
    try {
      results.summaries.push_back(train_one(plan.loaded.trials[i], registry, folder, resume, progress));
    } catch (const Error& error) {
      if (plan.numbers.size() == 1) throw;
      progress.end_line();
      std::cerr << "halfling: " << error.what() << "\n";
      results.failed.push_back(i);
      if (!plan.loaded.continue_after_failure) return;
    }
  }
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
  for (const std::size_t i : results.failed)
    std::cerr << fmt::format("  {}\n    {}\n", plan.loaded.trials[i].label, rerun_command(values, i + 1));
}

std::vector<RunFolder> chosen_folders(const Plan& plan) {
  std::vector<RunFolder> folders;
  for (const std::size_t i : plan.numbers) folders.push_back(plan.folders[i]);
  return folders;
}

int list_trials(const po::variables_map& values, const Registry& registry, bool json_wanted) {
  const LoadedExperiment loaded = load(values, registry);
  if (json_wanted)
    std::cout << trials_json(loaded).dump(2) << "\n";
  else
    std::cout << trial_table(loaded);
  return exit_done;
}

}  // namespace

int run_run(const Arguments& arguments) {
  const auto values = parse(run_grammar(), arguments);
  if (!values) return exit_done;
  const bool json_wanted = wants_json(*values);
  const Registry registry = Registry::scan(plugin_path(*values));
  if ((*values)["list-trials"].as<bool>()) return list_trials(*values, registry, json_wanted);
  Progress progress((*values)["quiet"].as<bool>() ? Progress::Mode::quiet : Progress::mode_of_stderr());
  watch_interrupts();
  for (const std::string& note : refusal_notes(registry)) progress.note(note);
  const Plan plan = prepare(*values, registry);
  for (const std::string& note : plan.loaded.notes) progress.note(note);
  if ((*values)["resume"].as<bool>() && std::ranges::none_of(plan.folders, &RunFolder::begun))
    for (const std::string& note : notes_on_other_runs(plan.loaded.trials[plan.numbers.front()],
                                                       plan.folders[plan.numbers.front()], registry))
      progress.note(note);
  Results results;
  train_all(plan, registry, (*values)["resume"].as<bool>(), progress, results);
  print_result(comparison(results.summaries, output_width()));
  tell_whereabouts(chosen_folders(plan), progress);
  list_failures(plan, results, *values);
  const std::size_t left = plan.numbers.size() - results.summaries.size() - results.failed.size();
  const std::string not_started =
      left == 0
          ? ""
          : fmt::format("{} not started; ", left == 1 ? "1 trial was" : fmt::format("{} trials were", left));
  if (interrupted() &&
      (left > 0 || (!results.summaries.empty() && results.summaries.back().status == "interrupted"))) {
    const std::size_t trial = values->count("trial") != 0 ? plan.numbers.front() + 1 : 0;
    std::cerr << "interrupted; " << not_started << "to continue:\n  " << rerun_command(*values, trial)
              << "\n";
    return exit_interrupted;
  }
  if (left > 0) std::cerr << not_started << "--resume runs them\n";
  return results.failed.empty() ? exit_done : exit_failed;
}

}  // namespace halfling::cli
