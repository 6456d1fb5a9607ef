// SPDX-License-Identifier: Apache-2.0
// Which tables an experiment has, and what each means.
#include <fmt/format.h>

#include <algorithm>

#include "experiment/resolver.hpp"
#include "experiment/trial_id.hpp"
#include "experiment/units.hpp"

namespace halfling::config {
namespace {

std::optional<Interval> interval_of(const Options& options) {
  const auto text = optional_value<std::string>(options, "every");
  return text ? parse_interval(*text) : std::nullopt;
}

std::int64_t integer_or_zero(const Options& options, std::string_view name) {
  return optional_value<std::int64_t>(options, name).value_or(0);
}

/// Of "optimizer": "[optimizer]"; of "transform.flip": "[[transform]]".
std::string header_of(const std::string& table) {
  const std::string first = table.substr(0, table.find('.'));
  const bool list = core_table(first)->plugins == Plugins::list;
  return list ? fmt::format("[[{}]]", first) : fmt::format("[{}]", table);
}

LossScalerSettings scaler_settings(ComponentTable scaler) {
  const bool shared = optional_value<std::string>(scaler.own, "scope") == "shared";
  return {{std::move(scaler.choice)},
          shared ? ScalerScope::shared : ScalerScope::operation,
          optional_value<std::string>(scaler.own, "skip") == "any",
          integer_or_zero(scaler.own, "patience")};
}

std::optional<TrainingLength> length_of(const Options& options, std::string_view name) {
  const auto text = optional_value<std::string>(options, name);
  return text ? parse_length(*text) : std::nullopt;
}

ScheduleSettings schedule_settings(const Options& options) {
  ScheduleSettings settings;
  const auto name = optional_value<std::string>(options, "kind");
  if (!name) return settings;
  const auto kind = std::ranges::find(schedule_kinds(), *name, &ScheduleKind::name);
  settings.kind = static_cast<ScheduleAttributes::Kind>(kind - schedule_kinds().begin());
  settings.warmup = length_of(options, "warmup");
  settings.warmup_factor = optional_value<double>(options, "warmup_factor").value_or(0);
  settings.length = length_of(options, "length").value_or(TrainingLength{});
  settings.end_factor = optional_value<double>(options, "end_factor").value_or(0);
  settings.every = length_of(options, "every").value_or(TrainingLength{});
  settings.factor = optional_value<double>(options, "factor").value_or(1);
  return settings;
}

}  // namespace

void Resolver::read_budget() {
  const Options options = read_core("budget");
  result_.budget = {
      optional_value<double>(options, "time"), optional_value<std::int64_t>(options, "iterations"),
      optional_value<std::int64_t>(options, "epochs"), optional_value<std::int64_t>(options, "samples")};
  const Section budget = section("budget");
  if (!budget.readable || (budget.given && !budget.given->empty())) return;  // what is in it is checked
  report_missing("budget", {Fault::missing_key, budget.header, "the experiment has no budget",
                            "at least one of time, iterations, epochs, samples in [budget]",
                            "write [budget] and, below it, time = \"7min\""});
}

// It names a folder, too.
void Resolver::check_name(const std::string& name) {
  const bool safe =
      !name.starts_with('.') && name.size() <= 100 && std::all_of(name.begin(), name.end(), [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' || c == '.';
      });
  if (name.empty() || safe) return;
  const TomlNode* node = at_path(*root_, {"experiment", "name"});
  diagnostics_.add({Fault::bad_value, node->place, fmt::format("\"experiment.name\" cannot be \"{}\"", name),
                    "letters, digits, \"-\", \"_\" and \".\", not starting with \".\", at most 100",
                    "the runs are kept in a folder of this name"});
}

void Resolver::read_settings() {
  read_budget();
  const Options sample = read_core("sample");
  result_.sample = {interval_of(sample).value_or(Interval{}), integer_or_zero(sample, "rows"),
                    static_cast<std::uint64_t>(integer_or_zero(sample, "seed")),
                    optional_value<bool>(sample, "averages").value_or(true)};
  result_.metrics = {interval_of(read_core("metrics")).value_or(Interval{})};
  const Options monitor = read_core("monitor");
  result_.monitor = {
      interval_of(monitor),
      optional_value<std::vector<std::string>>(monitor, "values").value_or(std::vector<std::string>{})};
  const Options checkpoint = read_core("checkpoint");
  result_.checkpoint = {interval_of(checkpoint), integer_or_zero(checkpoint, "keep"), {}};
  for (const double iteration :
       optional_value<std::vector<double>>(checkpoint, "milestones").value_or(std::vector<double>{}))
    result_.checkpoint.milestones.push_back(static_cast<std::int64_t>(iteration));
  const Options cost = read_core("cost");
  result_.cost = {optional_value<std::string>(cost, "price"), optional_value<std::string>(cost, "prices")};
  const Options quality = read_core("quality");
  result_.quality = {integer_or_zero(quality, "samples"),
                     optional_value<std::string>(quality, "checkpoints") == "all"};
}

Experiment Resolver::resolve(const Table& root, const Place& file) {
  root_ = &root;
  file_ = file;
  result_ = {};
  lines_.clear();
  presumed_.clear();
  budget_decides_ = false;
  check_tables(root);
  const Options experiment = read_core("experiment");
  result_.name = optional_value<std::string>(experiment, "name").value_or("");
  check_name(result_.name);
  result_.seed = static_cast<std::uint64_t>(integer_or_zero(experiment, "seed"));
  result_.init_from = optional_value<std::string>(experiment, "init_from");
  result_.backend = read_component("backend").choice;
  result_.precision = read_component("precision").choice;
  result_.loss_scaler = scaler_settings(read_component("loss_scaler"));
  ComponentTable dataset = read_component("dataset");
  result_.dataset = {{std::move(dataset.choice)}, optional_value<double>(dataset.own, "holdout").value_or(0)};
  result_.transforms = read_list("transform");
  const Options input = read_core("input");
  result_.input = {integer_or_zero(input, "batch_size"), integer_or_zero(input, "prefetch"),
                   integer_or_zero(input, "workers"), optional_value<bool>(input, "shuffle").value_or(true),
                   optional_value<bool>(input, "balance").value_or(false)};
  result_.architecture = read_component("architecture").choice;
  ComponentTable optimizer = read_component("optimizer");
  result_.optimizer = {std::move(optimizer.choice), schedule_settings(optimizer.schedule)};
  for (auto& [name, operation] : optimizer.operations)
    result_.optimizer_of[name] = {std::move(operation.choice), schedule_settings(operation.schedule)};
  const Options average = read_core("average");
  result_.average = {
      optional_value<double>(average, "decay").value_or(0),
      optional_value<std::vector<std::string>>(average, "networks").value_or(std::vector<std::string>{})};
  read_settings();
  result_.reporters = read_list("reporter");
  result_.toml = document(true);
  result_.id = trial_id(document(false));
  result_.file = file;
  for (Line& line : lines_) result_.origins.push_back(std::move(line.origin));
  return std::move(result_);
}

std::string Resolver::document(bool whole) const {
  std::string text = "# A resolved experiment: every value, nothing inherited.\n";
  std::string table;
  for (const Line& line : lines_) {
    const bool counts = line.table == "budget" && line.key != "time";
    if (!whole && !identifies(line.table) && !(budget_decides_ && counts)) continue;
    if (line.table != table) text += fmt::format("\n{}\n", header_of(line.table));
    table = line.table;
    text += fmt::format("{} = {}\n", line.key, line.origin.value);
  }
  return text;
}

}  // namespace halfling::config
