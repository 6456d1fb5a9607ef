// SPDX-License-Identifier: Apache-2.0
#include "iteration/operation_outputs.hpp"

namespace halfling {
namespace {

Value mean_of(const std::vector<Value>& losses) {
  Value sum = losses.front();
  for (std::size_t i = 1; i < losses.size(); ++i) sum = sum + losses[i];
  return losses.size() == 1 ? sum : 1 / static_cast<double>(losses.size()) * sum;
}

}  // namespace

Value update_count(Graph& graph, const std::string& operation) {
  return state(graph, {.name = "optimizer." + operation + ".updates",
                       .dtype = DType::i32,
                       .shape = {},
                       .initial = {},
                       .role = StateRole::counter});
}

void OperationOutputs::record(const PendingUpdate& update, Value skip, Value made) {
  graph().context() = {update.name + ".update", Stage::update, {}};
  const auto [entry, first] = runs_.try_emplace(update.name, Runs{{}, skip, made});
  Runs& runs = entry->second;
  runs.losses.push_back({&graph(), update.loss});
  runs.made = made;
  if (!first) runs.skipped = logical_or(runs.skipped, skip);
  const Value found = tally(update.name + ".found");
  graph().assign("scaler." + update.name + ".found", select(update.found, found + 1.0, found));
  const Value in_a_row = tally(update.name + ".skipped_in_a_row");
  graph().assign("scaler." + update.name + ".skipped_in_a_row",
                 select(skip, in_a_row + 1.0, constant(graph(), 0)));
  graph().context() = {};
}

Value OperationOutputs::tally(const std::string& name) {
  return state(
      graph(),
      {.name = "scaler." + name, .dtype = DType::f32, .shape = {}, .initial = {}, .role = StateRole::scaler});
}

/// The loss of the last run of an operation that does not run in every iteration, in the loss's own format.
Value OperationOutputs::last_loss(const Phase& phase, const TrainingOperation& operation) {
  const PrecisionResult forward = apply_precision(phase.graph, *request_.policy);
  const ValueId loss = forward.map[static_cast<std::size_t>(operation.loss)];
  return state(graph(), {.name = "scaler." + operation.name + ".loss",
                         .dtype = forward.graph.value(loss).dtype,
                         .shape = {},
                         .initial = {},
                         .role = StateRole::scaler});
}

void OperationOutputs::finish(const Phase& phase, bool runs) {
  for (const TrainingOperation& operation : phase.operations) {
    const std::string& name = operation.name;
    graph().context() = {name + ".update", Stage::update, {}};
    iteration_.operations.push_back(name);
    iteration_.rhythms.push_back({phase.repeat, phase.every});
    runs ? output_runs(phase, operation) : output_last(phase, operation);
    graph().output("found." + name, tally(name + ".found"));
    graph().output("skipped_in_a_row." + name, tally(name + ".skipped_in_a_row"));
  }
  graph().context() = {};
}

void OperationOutputs::output_runs(const Phase& phase, const TrainingOperation& operation) {
  const Runs& runs = runs_.at(operation.name);
  const Value loss = mean_of(runs.losses);
  graph().output("loss." + operation.name, loss);
  graph().output("skipped." + operation.name, runs.skipped);
  graph().output("updates." + operation.name, runs.made);
  if (phase.every == 1) return;
  last_loss(phase, operation);
  graph().assign("scaler." + operation.name + ".loss", loss);
}

void OperationOutputs::output_last(const Phase& phase, const TrainingOperation& operation) {
  graph().output("loss." + operation.name, last_loss(phase, operation));
  graph().output("skipped." + operation.name, constant(graph(), 0, {}, DType::boolean));
  graph().output("updates." + operation.name, update_count(graph(), operation.name));
}

}  // namespace halfling
