// SPDX-License-Identifier: Apache-2.0
#include "train/trial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

#include "base/suggest.hpp"
#include "halfling/error.hpp"
#include "halfling/schedule.hpp"
#include "input/dataset_part.hpp"
#include "iteration/batch_inputs.hpp"
#include "iteration/host_value.hpp"
#include "iteration/initial_state.hpp"
#include "train/nonfinite.hpp"

namespace halfling {
namespace {

/// What an iteration reads is one batch of the source.
BatchSettings batch_settings(const Experiment& experiment, std::int64_t samples, World world) {
  return {.batch_size = samples,
          .seed = experiment.seed,
          .shuffle = experiment.input.shuffle,
          .balance = experiment.input.balance,
          .prefetch = static_cast<int>(experiment.input.prefetch),
          .workers = static_cast<int>(experiment.input.workers),
          .world = world};
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

Trial::Trial(const Experiment& experiment, const Registry& registry, World world)
    : experiment_(experiment), platform_(make_platform(experiment, registry, world)) {
  make_components(registry);
  const TransformChain chain({.shape = dataset_->sample_shape()}, make_transforms(experiment, registry));
  spec_ = {experiment.input.batch_size, chain.output().shape,
           static_cast<std::int64_t>(dataset_->classes().size()),
           chain.output().values.value_or(ValueRange{})};
  cycle_.emplace(platform_.architecture->training(spec_));
  source_ = std::make_unique<BatchSource>(*dataset_, batch_settings(experiment, own_samples(), world),
                                          make_transforms(experiment, registry));
  for (std::size_t i = 0; i < cycle_->variants(); ++i) variants_.push_back({build(i, false), nullptr});
  check_operation_names();
  compile();
}

void Trial::make_components(const Registry& registry) {
  const Experiment& e = experiment_;
  dataset_ = training_part(e, registry);
  scaler_ = registry.create<LossScaler>(e.loss_scaler.use, e.loss_scaler.options);
  optimizer_ = registry.create<Optimizer>(e.optimizer.use, e.optimizer.options);
  for (const auto& [operation, own] : e.optimizer_of)
    optimizer_of_[operation] = registry.create<Optimizer>(own.use, own.options);
}

IterationGraph Trial::build(std::size_t variant, bool observe) const {
  IterationRequest request{
      .architecture = platform_.architecture.get(),
      .policy = platform_.policy.get(),
      .scaler = scaler_.get(),
      .scope = experiment_.loss_scaler.scope,
      .skip_together = experiment_.loss_scaler.skip_together,
      .optimizers = {},
      .optimizer = optimizer_.get(),
      .schedule = experiment_.optimizer.schedule,
      .units = units_of(experiment_.budget, samples_per_iteration(), iterations_per_epoch()),
      .average = experiment_.average,
      .spec = spec_,
      .world = platform_.world,
      .variant = variant,
      .observe = observe};
  for (const auto& [operation, optimizer] : optimizer_of_)
    request.optimizers[operation] = {optimizer.get(), experiment_.optimizer_for(operation).schedule};
  return build_iteration(request);
}

void Trial::check_operation_names() const {
  for (const auto& [name, optimizer] : optimizer_of_) {
    if (std::ranges::find(iteration().operations, name) != iteration().operations.end()) continue;
    throw Error({.what = "the architecture has no training operation of this name",
                 .where = "optimizer.operation." + name,
                 .got = name,
                 .expected = "one of " + joined(iteration().operations),
                 .hint = did_you_mean(name, iteration().operations),
                 .kind = ErrorKind::usage});
  }
}

void Trial::compile() {
  session_ = platform_.backend->open(platform_.device_index);
  for (Variant& variant : variants_) variant.executable = session_->compile(variant.iteration.graph);
  if (has_generator(*platform_.architecture, spec_)) make_sampler();
  if (experiment_.monitor.every) {
    const std::vector<DType> formats = platform_.policy->formats();
    const auto half = std::ranges::find_if(formats, is_half);
    monitor_ = std::make_unique<Monitor>(*session_, build(0, true), experiment_.monitor.values,
                                         half == formats.end() ? DType::f16 : *half);
  }
  for (const State& state : states())
    session_->write_state(state.name, initial_value(state, experiment_.seed));
}

void Trial::make_sampler() {
  std::vector<std::int32_t> columns(static_cast<std::size_t>(spec_.classes));
  std::iota(columns.begin(), columns.end(), 0);
  const GridRequest request{spec_, columns, experiment_.sample.rows, experiment_.sample.seed,
                            averages_to_draw_with(experiment_)};
  sampler_ = std::make_unique<Sampler>(*session_, *platform_.architecture, *platform_.policy, request);
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
  batches_ = &source_->next();
  IterationOutcome& outcome = open_.emplace_back();
  outcome.epoch = batches_->epoch;
  outcome.variant = cycle_->variant_of(started_);
  if (observe) {
    const auto looking = std::chrono::steady_clock::now();
    outcome.observations = monitor_->observe(*batches_);
    for (Observation& observation : outcome.observations) observation.iteration = started_ + 1;
    outcome.observing = seconds_since(looking);
  }
  Executable& executable = *variants_[outcome.variant].executable;
  write_batches(executable, *batches_, iteration().batches);
  executable.run();
  ++started_;
}

IterationOutcome Trial::finish() {
  ++done_;
  IterationOutcome outcome = std::move(open_.front());
  open_.erase(open_.begin());
  finished_ = outcome.variant;
  for (const std::string& operation : iteration().operations)
    outcome.losses.push_back(number("loss." + operation));
  outcome.stuck = stuck_operation();
  outcome.waited = source_->waits().seconds - waited_;
  outcome.seconds = seconds_since(begin_) - outcome.observing;
  begin_ = std::chrono::steady_clock::now();
  waited_ += outcome.waited;
  return outcome;
}

/// Of the iteration that was finished last, also while the next one is under way, which may be another
/// executable's.
double Trial::number(const std::string& output) {
  const auto later = std::ranges::count(open_, finished_, &IterationOutcome::variant);
  const Variant& variant = variants_[finished_];
  return read_number(*variant.executable, variant.iteration.graph, output, static_cast<int>(later));
}

std::optional<std::size_t> Trial::stuck_operation() {
  if (experiment_.loss_scaler.patience == 0 || !scaler_->active()) return std::nullopt;
  const auto patience = static_cast<double>(experiment_.loss_scaler.patience);
  for (std::size_t i = 0; i < iteration().operations.size(); ++i)
    if (number("skipped_in_a_row." + iteration().operations[i]) >= patience) return i;
  return std::nullopt;
}

std::vector<OperationMetrics> Trial::metrics(const std::vector<double>& losses) {
  std::vector<OperationMetrics> metrics;
  for (std::size_t i = 0; i < losses.size(); ++i) {
    const std::string& name = iteration().operations[i];
    const auto updates = static_cast<std::int64_t>(number("updates." + name));
    metrics.push_back({name, losses[i], number("scale." + name), iteration().rhythms[i].runs(done_) - updates,
                       static_cast<std::int64_t>(number("found." + name)),
                       scheduled_rate(iteration().schedules[i], updates)});
  }
  return metrics;
}

CheckpointLabel Trial::label(std::int64_t epoch) const {
  return {done_, epoch, experiment_.id, spec_, dataset_->classes()};
}

/// The id says nothing of what lies in the files of a data set.
void Trial::check_data_of(const CheckpointLabel& label, const std::filesystem::path& checkpoint) const {
  if (label.spec.image == spec_.image && label.classes == dataset_->classes()) return;
  throw Error(
      {.what = "the data set is another one than that of the checkpoint",
       .where = checkpoint.string(),
       .got = fmt::format("samples of {} in {} classes", spec_.image.text(), spec_.classes),
       .expected = fmt::format("samples of {} in {} classes", label.spec.image.text(), label.spec.classes),
       .hint = "put the data back as they were, or begin anew with --out DIR",
       .kind = ErrorKind::usage});
}

CheckpointLabel Trial::resume(const std::filesystem::path& checkpoint) {
  CheckpointLabel label = read_label(checkpoint);
  if (label.trial != experiment_.id)
    throw Error({.what = "the checkpoint is of another trial",
                 .where = checkpoint.string(),
                 .got = label.trial,
                 .expected = experiment_.id,
                 .hint = "continue with the experiment that wrote it"});
  check_data_of(label, checkpoint);
  load_states(checkpoint, states(), *session_);
  done_ = started_ = label.iteration;
  source_->seek(done_);
  return label;
}

PlannedBytes Trial::planned() const {
  MemoryUse use = variants_.front().executable->memory();
  for (std::size_t i = 1; i < variants_.size(); ++i) {
    use.arena += variants_[i].executable->memory().arena;
    use.workspace += variants_[i].executable->memory().workspace;
  }
  const MemoryUse sampling = sampler_ ? sampler_->memory() : MemoryUse{};
  const auto batch = static_cast<std::uint64_t>(
      own_samples() * (spec_.image.elements() + static_cast<std::int64_t>(sizeof(std::int32_t))));
  const MemoryUse monitor = monitor_ ? monitor_->memory() : MemoryUse{};
  return {use.states, use.arena + sampling.arena + monitor.arena,
          use.workspace + sampling.workspace + monitor.workspace,
          static_cast<std::uint64_t>(experiment_.input.prefetch + 1) * batch, Snapshot::size_of(states())};
}

Error Trial::nonfinite_error(const std::vector<double>& losses) {
  const auto bad = std::ranges::find_if_not(losses, [](double loss) { return std::isfinite(loss); });
  const std::string& operation = iteration().operations[static_cast<std::size_t>(bad - losses.begin())];
  const bool half = std::ranges::any_of(platform_.policy->formats(), is_half);
  const auto first = first_nonfinite(variants_[finished_].iteration, *session_, *batches_);
  return Error({.what = "the loss of " + operation + " is not finite at iteration " + std::to_string(done_),
                .where = first ? first->value : "loss." + operation,
                .got = std::isnan(*bad) ? "a NaN" : "an infinity",
                .expected = "finite numbers; `where` names the first value that is not",
                .hint = half && !scaler_->active()
                            ? "use loss_scaler.use = \"dynamic\", or lower optimizer.learning_rate"
                            : "lower optimizer.learning_rate"});
}

Error Trial::stuck_error(std::size_t operation) {
  const std::string& name = iteration().operations[operation];
  const double scale = number("scale." + name);
  const auto first = first_nonfinite(variants_[finished_].iteration, *session_, *batches_);
  const bool forward = first && first->stage == Stage::forward;
  return Error(
      {.what = fmt::format("{} updates of {} in a row were skipped, up to iteration {}",
                           experiment_.loss_scaler.patience, name, done_),
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
