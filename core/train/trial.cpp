// SPDX-License-Identifier: Apache-2.0
#include "train/trial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

#include "halfling/error.hpp"
#include "plugin/suggest.hpp"
#include "train/host_value.hpp"
#include "train/initial_state.hpp"
#include "train/nonfinite.hpp"

namespace halfling {
namespace {

BatchSettings batch_settings(const Experiment& experiment) {
  return {.batch_size = experiment.input.batch_size,
          .seed = experiment.seed,
          .shuffle = experiment.input.shuffle,
          .prefetch = static_cast<int>(experiment.input.prefetch),
          .workers = static_cast<int>(experiment.input.workers)};
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

Trial::Trial(const Experiment& experiment, const Registry& registry)
    : experiment_(experiment), engine_(make_engine(experiment, registry)) {
  make_components(registry);
  spec_ = {experiment.input.batch_size, dataset_->sample_shape(),
           static_cast<std::int64_t>(dataset_->classes().size())};
  source_ = std::make_unique<BatchSource>(*dataset_, batch_settings(experiment));
  iteration_ = build(false);
  check_operation_names();
  compile();
}

void Trial::make_components(const Registry& registry) {
  const Experiment& e = experiment_;
  dataset_ = registry.create<Dataset>(e.dataset.use, e.dataset.options);
  scaler_ = registry.create<LossScaler>(e.loss_scaler.use, e.loss_scaler.options);
  optimizer_ = registry.create<Optimizer>(e.optimizer.use, e.optimizer.options);
  for (const auto& [operation, options] : e.optimizer_of)
    optimizer_of_[operation] = registry.create<Optimizer>(e.optimizer.use, options);
}

IterationGraph Trial::build(bool observe) const {
  IterationRequest request{.architecture = engine_.architecture.get(),
                           .policy = engine_.policy.get(),
                           .scaler = scaler_.get(),
                           .scope = experiment_.scope,
                           .skip_together = experiment_.skip_together,
                           .optimizers = {},
                           .optimizer = optimizer_.get(),
                           .spec = spec_,
                           .observe = observe};
  for (const auto& [operation, optimizer] : optimizer_of_) request.optimizers[operation] = optimizer.get();
  return build_iteration(request);
}

void Trial::check_operation_names() const {
  for (const auto& [name, optimizer] : optimizer_of_) {
    if (std::ranges::find(iteration_.operations, name) != iteration_.operations.end()) continue;
    throw Error({.what = "the architecture has no training operation of this name",
                 .where = "optimizer.operation." + name,
                 .got = name,
                 .expected = "one of " + joined(iteration_.operations),
                 .hint = did_you_mean(name, iteration_.operations),
                 .kind = ErrorKind::usage});
  }
}

void Trial::compile() {
  session_ = engine_.backend->open(engine_.device_index);
  step_ = session_->compile(iteration_.graph);
  std::vector<std::int32_t> columns(static_cast<std::size_t>(spec_.classes));
  std::iota(columns.begin(), columns.end(), 0);
  const GridRequest request{spec_.image, spec_.classes, columns, experiment_.sample.rows,
                            experiment_.sample.seed};
  sampler_ = std::make_unique<Sampler>(*session_, *engine_.architecture, *engine_.policy, request);
  if (experiment_.monitor.every) {
    const std::vector<DType> formats = engine_.policy->formats();
    const auto half = std::ranges::find_if(formats, is_half);
    monitor_ = std::make_unique<Monitor>(*session_, build(true), experiment_.monitor.values,
                                         half == formats.end() ? DType::f16 : *half);
  }
  for (const State& state : states())
    session_->write_state(state.name, initial_value(state, experiment_.seed));
}

std::int64_t Trial::parameters() const {
  std::int64_t count = 0;
  for (const State& state : states())
    if (state.role == StateRole::parameter) count += state.shape.elements();
  return count;
}

void Trial::start(bool observe) {
  const auto now = std::chrono::steady_clock::now();
  if (open_.empty()) {
    begin_ = now;
    waited_ = source_->waits().seconds;
  }
  batch_ = &source_->next();
  Step& step = open_.emplace_back();
  step.epoch = batch_->epoch;
  if (observe) {
    const auto looking = std::chrono::steady_clock::now();
    step.observations = monitor_->observe(*batch_);
    for (Observation& observation : step.observations) observation.iteration = started_ + 1;
    step.observing = seconds_since(looking);
  }
  step_->write("images", std::as_bytes(batch_->images));
  step_->write("labels", std::as_bytes(batch_->labels));
  step_->run();
  ++started_;
}

Step Trial::finish() {
  ++done_;
  Step step = std::move(open_.front());
  open_.erase(open_.begin());
  for (const std::string& operation : iteration_.operations)
    step.losses.push_back(number("loss." + operation));
  step.stuck = stuck_operation();
  step.waited = source_->waits().seconds - waited_;
  step.seconds = seconds_since(begin_) - step.observing;
  begin_ = std::chrono::steady_clock::now();
  waited_ += step.waited;
  return step;
}

/// Of the iteration that was finished last, also while the next one is under way.
double Trial::number(const std::string& output) {
  return read_number(*step_, iteration_.graph, output, static_cast<int>(started_ - done_));
}

std::optional<std::size_t> Trial::stuck_operation() {
  if (experiment_.patience == 0 || !scaler_->active()) return std::nullopt;
  const auto patience = static_cast<double>(experiment_.patience);
  for (std::size_t i = 0; i < iteration_.operations.size(); ++i)
    if (number("skipped_in_a_row." + iteration_.operations[i]) >= patience) return i;
  return std::nullopt;
}

std::vector<OperationFigures> Trial::figures(const std::vector<double>& losses) {
  std::vector<OperationFigures> figures;
  for (std::size_t i = 0; i < losses.size(); ++i) {
    const std::string& name = iteration_.operations[i];
    const double updates = number("updates." + name);
    figures.push_back({name, losses[i], number("scale." + name), done_ - static_cast<std::int64_t>(updates),
                       static_cast<std::int64_t>(number("found." + name))});
  }
  return figures;
}

CheckpointLabel Trial::label(std::int64_t epoch) const {
  return {done_, epoch, experiment_.id, spec_, dataset_->classes()};
}

CheckpointLabel Trial::resume(const std::filesystem::path& checkpoint) {
  CheckpointLabel label = read_label(checkpoint);
  if (label.trial != experiment_.id)
    throw Error({.what = "the checkpoint is of another trial",
                 .where = checkpoint.string(),
                 .got = label.trial,
                 .expected = experiment_.id,
                 .hint = "continue with the experiment that wrote it"});
  load_states(checkpoint, states(), *session_);
  done_ = started_ = label.iteration;
  source_->seek(done_);
  return label;
}

PlannedBytes Trial::planned() const {
  const MemoryUse step = step_->memory(), sampling = sampler_->memory();
  const auto batch = static_cast<std::uint64_t>(
      spec_.batch * (spec_.image.elements() + static_cast<std::int64_t>(sizeof(std::int32_t))));
  const MemoryUse monitor = monitor_ ? monitor_->memory() : MemoryUse{};
  return {step.states, step.arena + sampling.arena + monitor.arena,
          step.workspace + sampling.workspace + monitor.workspace,
          static_cast<std::uint64_t>(experiment_.input.prefetch + 1) * batch};
}

Error Trial::nonfinite_error(const std::vector<double>& losses) {
  const auto bad = std::ranges::find_if_not(losses, [](double loss) { return std::isfinite(loss); });
  const std::string& operation = iteration_.operations[static_cast<std::size_t>(bad - losses.begin())];
  const bool half = std::ranges::any_of(engine_.policy->formats(), is_half);
  const auto first = first_nonfinite(iteration_.graph, *session_, *batch_);
  return Error({.what = "the loss of " + operation + " is not finite at iteration " + std::to_string(done_),
                .where = first ? first->value : "loss." + operation,
                .got = std::isnan(*bad) ? "a NaN" : "an infinity",
                .expected = "finite numbers; `where` names the first value that is not",
                .hint = half && !scaler_->active()
                            ? "use loss_scaler.use = \"dynamic\", or lower optimizer.learning_rate"
                            : "lower optimizer.learning_rate"});
}

Error Trial::stuck_error(std::size_t operation) {
  const std::string& name = iteration_.operations[operation];
  const double scale = number("scale." + name);
  const auto first = first_nonfinite(iteration_.graph, *session_, *batch_);
  const bool forward = first && first->stage == Stage::forward;
  return Error(
      {.what = fmt::format("{} updates of {} in a row were skipped, up to iteration {}", experiment_.patience,
                           name, done_),
       .where = first ? first->value : "gradients of " + name,
       .got = forward ? "a forward value that is not finite, so that no loss scale can help"
                      : fmt::format("gradients that are not finite; the loss scale is now {:g}", scale),
       .expected = "finite numbers; `where` names the first value that is not",
       .hint = forward ? "lower optimizer.learning_rate, take precision.half = \"bf16\", or keep the "
                         "layer in f32 with precision.use = \"rules\""
                       : "lower the loss scale or optimizer.learning_rate, or take precision.half = "
                         "\"bf16\" or precision.weight_gradient = \"fp32\""});
}

}  // namespace halfling
