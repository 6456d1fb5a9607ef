// SPDX-License-Identifier: Apache-2.0
#include "train/reporters.hpp"

#include <chrono>

#include "halfling/error.hpp"

namespace halfling {
namespace {

using Clock = std::chrono::steady_clock;

ErrorDetails details_of(const std::exception& error) {
  const auto* own = dynamic_cast<const Error*>(&error);
  return own != nullptr ? own->details() : ErrorDetails{.what = error.what()};
}

/// In one line.
std::string text_of(const ErrorDetails& details) {
  std::string text = details.what;
  if (!details.where.empty()) text += ", " + details.where;
  if (!details.got.empty()) text += ": " + details.got;
  return text;
}

}  // namespace

Reporters::Reporters(const std::vector<NamedReporter>& reporters) {
  for (const NamedReporter& reporter : reporters) entries_.push_back({reporter});
}

void Reporters::raise() const {
  if (failure_) std::rethrow_exception(failure_);
}

void Reporters::fail(Entry& entry, const std::exception& error) {
  ErrorDetails details = details_of(error);
  if (entry.required && !failure_) {
    details.what = "the reporter " + entry.name + ", which is required, failed: " + details.what;
    failure_ = std::make_exception_ptr(Error(details));
  }
  if (entry.told_of || entry.required) return;
  entry.told_of = true;
  note("the reporter " + entry.name + " failed, and the run goes on: " + text_of(details));
}

template <class Call>
void Reporters::attempt(Entry& entry, const Call& call) {
  if (entry.left_out) return;
  try {
    call(*entry.reporter);
  } catch (const std::exception& error) {
    fail(entry, error);
  }
}

template <class Event>
void Reporters::each(const Event& event) {
  const Clock::time_point begin = Clock::now();
  for (Entry& entry : entries_) attempt(entry, event);
  seconds_ += std::chrono::duration<double>(Clock::now() - begin).count();
}

void Reporters::began(const RunDescription& run) {
  for (Entry& entry : entries_) {
    bool whole = false;
    attempt(entry, [&](Reporter& reporter) {
      reporter.began(run);
      whole = true;
    });
    entry.left_out = !whole;
  }
}

void Reporters::iteration(const IterationDone& done) {
  each([&](Reporter& reporter) { reporter.iteration(done); });
}

bool Reporters::wants_metrics() {
  bool wanted = false;
  for (Entry& entry : entries_)
    attempt(entry, [&](const Reporter& reporter) { wanted = wanted || reporter.wants_metrics(); });
  return wanted;
}

void Reporters::metrics(const RunMetrics& metrics, bool due) {
  each([&](Reporter& reporter) {
    if (due || reporter.wants_metrics()) reporter.metrics(metrics);
  });
}

void Reporters::grid(const SampleGrid& grid) {
  each([&](Reporter& reporter) { reporter.grid(grid); });
}

void Reporters::observed(const std::vector<Observation>& values) {
  each([&](Reporter& reporter) { reporter.observed(values); });
}

void Reporters::checkpoint(const CheckpointWritten& checkpoint) {
  each([&](Reporter& reporter) { reporter.checkpoint(checkpoint); });
}

void Reporters::note(const std::string& line) {
  each([&](Reporter& reporter) { reporter.note(line); });
}

void Reporters::ended(const Summary& summary) {
  each([&](Reporter& reporter) { reporter.ended(summary); });
}

}  // namespace halfling
