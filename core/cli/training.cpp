// SPDX-License-Identifier: Apache-2.0
#include "cli/training.hpp"

#include <fmt/format.h>

#include <iostream>
#include <new>

#include "base/printable.hpp"
#include "cli/resume_notes.hpp"
#include "evaluate/measure.hpp"
#include "halfling/error.hpp"
#include "plan/forecast.hpp"
#include "plan/preflight.hpp"
#include "train/interrupt.hpp"
#include "train/run_trial.hpp"

namespace halfling::cli {
namespace {

/// Memory that runs out although the prediction fitted is told as one that did not fit.
Summary train_one(const Experiment& trial, const Registry& registry, const RunFolder& folder, bool resume,
                  Progress& progress, Turn& turn) {
  std::string what = "memory ran out";
  try {
    return run_trial(trial, registry, folder, progress, resume, {}, {}, &turn);
  } catch (const std::bad_alloc&) {
  } catch (const OutOfMemory& shortage) {
    what = fmt::format("the device's memory ran out: {} bytes more were asked for, {} were free",
                       shortage.bytes(), shortage.free());
  } catch (const PluginOutOfMemory& shortage) {
    what = "memory ran out in " + shortage.details().where;
  }
  Preflight preflight(registry);
  preflight.check(trial);
  preflight.raise();
  throw memory_error(std::move(what), trial,
                     forecast(trial, registry, preflight.platform(), preflight.data()), preflight.platform());
}

/// Trains one, and measures its images where the experiment asks for it. Whatever goes wrong then, what was
/// trained is in its folder.
Summary run_one(const Experiment& trial, const Registry& registry, const RunFolder& folder, bool resume,
                Progress& progress, Turn& turn) {
  Summary summary = train_one(trial, registry, folder, resume, progress, turn);
  if (!trial.quality.active() || summary.quality || summary.status != "done") return summary;
  progress.end_line();
  add_quality(trial, registry, folder.path(), trial.quality.samples, summary,
              [&](const std::string& line) { progress.note(line); });
  return summary;
}

}  // namespace

Training::Training(const Plan& plan, const Registry& registry, bool resume, Progress& progress)
    : plan_(plan),
      registry_(registry),
      resume_(resume),
      progress_(progress),
      blocks_(plan.numbers.size() > 1 ? plan.loaded.blocks : 1),
      trials_(plan.loaded.trials.size()) {}

Results Training::run() {
  for (std::size_t block = 1; block <= blocks_; ++block)
    for (const std::size_t number : plan_.numbers)
      if (!trials_[number].over && !train(number, block)) return results();
  return results();
}

/// False: no other one is to follow.
bool Training::train(std::size_t number, std::size_t block) {
  if (interrupted()) return false;
  State& state = trials_[number];
  const Experiment& trial = plan_.loaded.trials[number];
  const RunFolder& folder = plan_.folders[number];
  state.turn.block = block;
  state.turn.blocks = blocks_;
  if (has_run(number)) return true;
  show_title(number, block);
  if (!state.turn.continues)
    for (const std::string& note : notes_on_changes(trial, folder, registry_)) progress_.note(note);
  try {
    state.summary = run_one(trial, registry_, folder, resume_ || state.turn.continues, progress_, state.turn);
    state.turn.continues = true;
    state.over = state.summary->status == "done";
  } catch (const std::exception& error) {
    if (plan_.numbers.size() == 1) throw;
    progress_.end_line();
    std::cerr << "halfling: " << printable_lines(error.what()) << "\n";
    failed_.push_back({number, error.what()});
    state.summary.reset();
    state.over = true;
    return plan_.loaded.continue_after_failure;
  }
  return true;
}

/// To its end, or, by an earlier execution, beyond the end of this block.
bool Training::has_run(std::size_t number) {
  State& state = trials_[number];
  const RunFolder& folder = plan_.folders[number];
  if (auto known = finished(folder, plan_.limits[number])) {
    show_title(number, state.turn.block);
    progress_.note(fmt::format("  has run already, to iteration {}", known->iterations));
    state.summary = std::move(known);
    state.over = true;
    return true;
  }
  if (state.turn.block == blocks_) return false;
  auto known = read_summary(folder.summary());
  const Limits end = plan_.limits[number].part(state.turn.block, blocks_);
  if (!known || known->status != "interrupted" || !end.reached(known->iterations, known->wall_s))
    return false;
  state.summary = std::move(known);
  return true;
}

void Training::show_title(std::size_t number, std::size_t block) {
  const Experiment& trial = plan_.loaded.trials[number];
  const std::size_t count = plan_.loaded.trials.size();
  const std::string place = count > 1 ? fmt::format("[{}/{}]", number + 1, count) : "";
  std::string text = place + (place.empty() ? "" : " ") + trial.name;
  if (!trial.label.empty()) text += ": " + trial.label;
  text += " in " + plan_.folders[number].path().string();
  if (blocks_ > 1) text += fmt::format(", block {} of {}", block, blocks_);
  progress_.title(text, place);
}

Results Training::results() {
  Results results;
  for (const std::size_t number : plan_.numbers)
    if (trials_[number].summary)
      results.runs.push_back(compared(plan_.loaded.trials[number], number + 1, *trials_[number].summary));
  results.failed = failed_;
  return results;
}

}  // namespace halfling::cli
