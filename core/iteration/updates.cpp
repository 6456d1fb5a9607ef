// SPDX-License-Identifier: Apache-2.0
#include "iteration/updates.hpp"

namespace halfling {
namespace {

const Optimizer& optimizer_of(const IterationRequest& request, const std::string& operation) {
  const auto own = request.optimizers.find(operation);
  return own == request.optimizers.end() ? *request.optimizer : *own->second.optimizer;
}

/// In the format of the parameters. `owner`: the operation whose optimizer it is.
ScheduleAttributes make_schedule(const IterationRequest& request, const std::string& owner,
                                 const Rhythm& rhythm) {
  const auto own = request.optimizers.find(owner);
  const bool has_own = own != request.optimizers.end();
  ScheduleAttributes result = schedule_in_updates(
      has_own ? own->second.schedule : request.schedule, optimizer_of(request, owner).learning_rate(),
      request.units, has_own ? "optimizer.operation." + owner + ".schedule" : "optimizer.schedule", rhythm);
  result.dtype = request.policy->parameter_format();
  return result;
}

}  // namespace

Updates::Updates(Graph& graph, const IterationRequest& request, const std::vector<Phase>& phases)
    : graph_(graph), request_(request) {
  for (const Phase& phase : phases)
    for (const TrainingOperation& operation : phase.operations) {
      const bool shares = !operation.shares.empty();
      if (shares) shared_.insert(operation.shares);
      schedules_[operation.name] =
          make_schedule(request, shares ? operation.shares : operation.name, {phase.repeat, phase.every});
    }
}

/// What was made so far, this one included unless it is skipped.
Value Updates::count(const std::string& name, Value skip) {
  const Value before = state(
      graph_, {.name = name, .dtype = DType::i32, .shape = {}, .initial = {}, .role = StateRole::counter});
  const Value made{&graph_, graph_.append_value(Op::count, {before, skip})};
  graph_.assign(name, made);
  return made;
}

Value Updates::append(const PendingUpdate& update, Value skip) {
  graph_.context() = {update.name + ".update", Stage::update, {}};
  const std::string& owner = update.shares.empty() ? update.name : update.shares;
  const std::string prefix = "optimizer." + owner;
  const Value made = count("optimizer." + update.name + ".updates", skip);
  // Where moments are shared, their steps are not the updates of the one operation that they belong to.
  const Value steps = shared_.contains(owner) ? count(prefix + ".steps", skip) : made;
  const Value inverse_scale = constant(graph_, 1) / update.scale;
  const Optimizer& optimizer = optimizer_of(request_, owner);
  const Value rate = learning_rate(graph_, schedule_of(update.name), made);
  for (std::size_t i = 0; i < update.parameters.size(); ++i) {
    const std::string& name = update.parameters[i].name;
    graph_.context().scope = name;
    const Value latest{&graph_, graph_.find_state(name)->latest};
    const Value gradient{&graph_, update.gradients[i]};
    graph_.assign(
        name, optimizer.update({prefix + "." + name, latest, gradient, inverse_scale, skip, steps, rate}));
    made_.push_back({name, skip});
  }
  graph_.context() = {};
  return made;
}

}  // namespace halfling
