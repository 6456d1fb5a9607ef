// SPDX-License-Identifier: Apache-2.0
#include "train/trainer.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "halfling/error.hpp"
#include "run/png.hpp"
#include "train/describe.hpp"
#include "train/interrupt.hpp"

namespace halfling {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

bool all_finite(const std::vector<double>& losses) {
  return std::ranges::all_of(losses, [](double loss) { return std::isfinite(loss); });
}

}  // namespace

Trainer::Trainer(Trial& trial, const RunFolder& folder, FolderLock* lock, Reporters& reporters,
                 double setup_s, RunMetrics before, Turn& turn)
    : trial_(trial),
      reporters_(reporters),
      limits_(
          limits_of(trial.experiment().budget, trial.samples_per_iteration(), trial.iterations_per_epoch())),
      turn_end_(limits_.part(turn.block, turn.blocks)),
      run_(describe(trial, folder, limits_, before.elapsed, setup_s)),
      tally_(trial, run_, limits_, std::move(before), turn),
      agenda_(trial.experiment(), run_.elapsed),
      checkpoints_(folder.checkpoints(),
                   {trial.experiment().checkpoint.keep, trial.experiment().checkpoint.milestones}),
      lock_(lock),
      data_sheet_(folder.data()),
      continues_(turn.continues) {}

Summary Trainer::run() {
  try {
    reporters_.began(run_);
    reporters_.raise();
    loop();
    reporters_.raise();
  } catch (const std::exception& error) {
    tell_failure(error);
    throw;
  }
  const bool done = limits_.reached(trial_.iterations_done(), tally_.elapsed());
  tally_.count_output(reporters_.take_seconds());
  Summary summary = tally_.summary(done ? "done" : "interrupted");
  if (done && trained_ && run_.native) summary.profile = trial_.profile();
  reporters_.ended(summary);
  reporters_.raise();
  return summary;
}

void Trainer::loop() {
  const bool at_end = over();
  if (at_end) save(true);
  if (!continues_) draw_grid();
  if (at_end && !interrupted() && limits_.reached(trial_.iterations_done(), tally_.elapsed()))
    reporters_.note(
        "had come to its end: the summary is written anew, with what is known; times are not measured");
  for (bool ends = at_end; !ends;) ends = iterate();
}

/// Whether it was the last one.
bool Trainer::iterate() {
  if (!trial_.under_way()) trial_.start(agenda_.observes(trial_.iterations_done() + 1, tally_.elapsed()));
  if (trial_.runs_ahead() && !pauses()) trial_.start();
  const IterationOutcome outcome = trial_.finish();
  remark();
  trained_ = true;
  tally_.count(outcome);
  tell(outcome);
  check(outcome);
  if (trial_.iterations_done() == 1) draw_data();
  const bool at_rest = !trial_.under_way(), ends = at_rest && over();
  Agenda::Due due = agenda_.due(trial_.iterations_done(), tally_.elapsed(), at_rest);
  due.checkpoint |= at_rest && checkpoint_wanted();
  // A checkpoint's time of training stands in its line of metrics.
  tell_metrics(outcome, due.metrics || due.checkpoint || ends, ends);
  if (due.checkpoint || ends) save(ends);
  tell_written(checkpoints_.written());
  if (due.grid || ends) draw_grid();
  return ends;
}

void Trainer::tell(const IterationOutcome& outcome) {
  if (!outcome.observations.empty()) reporters_.observed(outcome.observations);
  reporters_.iteration({.iteration = trial_.iterations_done(),
                        .epoch = outcome.epoch,
                        .elapsed = tally_.elapsed(),
                        .seconds = outcome.seconds,
                        .waited = outcome.waited,
                        .losses = outcome.losses});
}

/// Ends a run that is lost; its states are not kept.
void Trainer::check(const IterationOutcome& outcome) {
  const bool finite = all_finite(outcome.losses);
  if (finite && !outcome.stuck) return;
  tell_metrics(outcome, true, true);
  throw finite ? trial_.stuck_error(*outcome.stuck) : trial_.nonfinite_error(outcome.losses);
}

void Trainer::tell_metrics(const IterationOutcome& outcome, bool due, bool ends) {
  tally_.count_output(reporters_.take_seconds());
  if (due || reporters_.wants_metrics()) reporters_.metrics(tally_.metrics(outcome, due, ends), due);
}

/// Says once what is not as it should be.
void Trainer::remark() {
  if (remarked_) return;
  const std::string remark = trial_.executable().remark();
  if (remark.empty()) return;
  reporters_.note(remark);
  remarked_ = true;
}

/// Whether something wants the states as the iteration under way leaves them. What comes due unforeseen waits
/// for the next one.
bool Trainer::pauses() const {
  const std::int64_t next = trial_.iterations_done() + 1;
  return interrupted() || checkpoint_wanted() || reporters_.failed() ||
         turn_end_.reached(next, tally_.elapsed()) || agenda_.needs_rest(next, tally_.elapsed());
}

bool Trainer::over() const {
  return interrupted() || reporters_.failed() ||
         turn_end_.reached(trial_.iterations_done(), tally_.elapsed());
}

/// Training waits until the states are read, and the checkpoint before is written; with `wait`, until this
/// one is.
void Trainer::save(bool wait) {
  checkpoint_begun();  // who asks from now on gets another one
  if (!trial_.platform().world.writes_files()) return;
  const Clock::time_point begin = Clock::now();
  const auto before = checkpoints_.finish();
  if (lock_ != nullptr) lock_->renew();
  checkpoints_.begin(trial_.label(tally_.epoch()), trial_.states(), trial_.session());
  const auto now = wait ? checkpoints_.finish() : std::nullopt;
  tally_.count_output(seconds_since(begin));
  tell_written(before);
  tell_written(now);
}

void Trainer::tell_written(const std::optional<CheckpointWritten>& checkpoint) {
  if (checkpoint) reporters_.checkpoint(*checkpoint);
}

void Trainer::draw_grid() {
  if (!trial_.draws() || grid_at_ == trial_.iterations_done()) return;
  const Clock::time_point begin = Clock::now();
  SampleGrid grid{.iteration = trial_.iterations_done(),
                  .elapsed = tally_.elapsed(),
                  .rows = trial_.experiment().sample.rows,
                  .columns = run_.classes,
                  .image = trial_.grid()};
  grid.seconds = seconds_since(begin);
  tally_.count_output(grid.seconds);
  grid_at_ = trial_.iterations_done();
  reporters_.grid(grid);
}

/// What the networks see of the data: a help for people, and no reason to stop.
void Trainer::draw_data() {
  if (!trial_.platform().world.writes_files()) return;
  const Clock::time_point begin = Clock::now();
  try {
    write_png(data_sheet_, trial_.data_sheet(trial_.experiment().sample.rows));
  } catch (const Error& error) {
    reporters_.note(error.what());
  }
  tally_.count_output(seconds_since(begin));
}

void Trainer::tell_failure(const std::exception& error) {
  try {
    Summary failed = tally_.summary("failed");
    failed.error = error.what();
    reporters_.ended(failed);
  } catch (const std::exception&) {  // the first error tells more, and may be the cause
  }
}

}  // namespace halfling
