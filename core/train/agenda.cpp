// SPDX-License-Identifier: Apache-2.0
#include "train/agenda.hpp"

namespace halfling {
namespace {

std::optional<Every> every(const std::optional<Interval>& interval, double elapsed) {
  if (!interval) return std::nullopt;
  return Every(*interval, elapsed);
}

}  // namespace

Agenda::Agenda(const Experiment& experiment, double elapsed)
    : metrics_(experiment.metrics.every, elapsed),
      grid_(experiment.sample.every, elapsed),
      checkpoint_(every(experiment.checkpoint.every, elapsed)),
      monitor_(every(experiment.monitor.every, elapsed)),
      milestones_(experiment.checkpoint.milestones) {}

Agenda::Due Agenda::due(std::int64_t iteration, double elapsed, bool at_rest) {
  Due due{.metrics = metrics_.due(iteration, elapsed)};
  if (!at_rest) return due;
  due.checkpoint = checkpoint_ && checkpoint_->due(iteration, elapsed);
  due.checkpoint |= is_milestone(iteration);
  due.grid = grid_.due(iteration, elapsed);
  return due;
}

bool Agenda::observes(std::int64_t iteration, double elapsed) {
  return monitor_ && (monitor_->due(iteration, elapsed) || iteration == 1);
}

bool Agenda::needs_rest(std::int64_t iteration, double elapsed) const {
  return grid_.would_be_due(iteration, elapsed) || is_milestone(iteration) ||
         (checkpoint_ && checkpoint_->would_be_due(iteration, elapsed)) ||
         (monitor_ && monitor_->would_be_due(iteration + 1, elapsed));
}

}  // namespace halfling
