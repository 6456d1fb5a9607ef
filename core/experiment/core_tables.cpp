// SPDX-License-Identifier: Apache-2.0
#include "experiment/core_tables.hpp"

#include <algorithm>

namespace halfling::config {
namespace {

constexpr OptionRule experiment_options[] = {
    {{"name", OptionType::string, "", nullptr, "name of the experiment, and of its folder of runs"}},
    {{"seed", OptionType::integer, "", "1", "seed of initial parameters, noise and order of the samples", 0}},
    {{"init_from", OptionType::path, "", "",
      "a checkpoint, or a run folder, whose weights the training begins with; absent: random ones"},
     true},
};
constexpr OptionRule loss_scaler_options[] = {
    {{"scope", OptionType::string, "", "\"operation\"",
      "one loss scale per training operation, or one for all", -unbounded, unbounded, "operation|shared"}},
    {{"skip", OptionType::string, "", "\"own\"",
      "an overflow skips its own operation's update, or also those of its phase and of later phases",
      -unbounded, unbounded, "own|any"}},
    {{"patience", OptionType::integer, "iterations", "50",
      "skipped updates in a row of an operation that end the run with a diagnosis; 0: never", 0, 1e6}},
};
constexpr OptionRule dataset_options[] = {
    {{"holdout", OptionType::number, "", "", "share of the samples that training never sees; absent: none", 0,
      0.999},
     true},
};
constexpr OptionRule input_options[] = {
    {{"batch_size", OptionType::integer, "samples", "64", "samples in a batch, which one run of a phase sees",
      1, 1 << 20}},
    {{"prefetch", OptionType::integer, "batches", "4", "most batches in flight", 1, 1024}},
    {{"workers", OptionType::integer, "threads", "1", "threads that read samples", 1, 256}},
    {{"shuffle", OptionType::boolean, "", "true", "new order of the samples in each epoch"}},
    {{"balance", OptionType::boolean, "", "",
      "every class equally often, however many samples it has; absent: as often as it has samples"},
     true},
};
constexpr OptionRule budget_options[] = {
    {{"time", OptionType::duration, "s", "", "training time", 1e-3}, true},
    {{"iterations", OptionType::integer, "", "", "number of iterations", 1}, true},
    {{"epochs", OptionType::integer, "", "", "number of passes over the data set", 1}, true},
    {{"samples", OptionType::integer, "", "", "number of samples seen", 1}, true},
};
constexpr OptionRule sample_options[] = {
    {{"every", OptionType::string, "", "\"30s\"", "between two image grids"}, false, true},
    {{"rows", OptionType::integer, "images", "8", "images per class", 1, 256}},
    {{"seed", OptionType::integer, "", "1", "seed of the fixed noise of the grids", 0}},
    {{"averages", OptionType::boolean, "", "true",
      "draw with the averages of weights, where [average] keeps them"}},
};
constexpr OptionRule metrics_options[] = {
    {{"every", OptionType::string, "", "\"10it\"", "between two lines of metrics.jsonl"}, false, true},
};
constexpr OptionRule monitor_options[] = {
    {{"every", OptionType::string, "", "",
      "between two looks at exponents, kept in monitor.jsonl; absent: never"},
     true,
     true},
    {{"values", OptionType::string_list, "", "[\"gradients\"]",
      "\"gradients\", \"activations\", or names of layers or parameters, with \"*\""}},
};
constexpr OptionRule quality_options[] = {
    {{"samples", OptionType::integer, "images", "",
      "generated images that are compared with as many real ones at the end; 0, or absent: none", 0, 1e6},
     true},
    {{.name = "checkpoints",
      .type = OptionType::string,
      .unit = "",
      .default_toml = "\"newest\"",
      .help = "whose images are measured: of \"all\" that are kept, for a course over time",
      .choices = "newest|all"}},
};
constexpr OptionRule average_options[] = {
    {{"decay", OptionType::number, "", "",
      "what an average keeps of itself in an iteration, \"0.999\"; absent: no averages", 0, 0.9999999},
     true},
    {{"networks", OptionType::string_list, "", "[]",
      "prefixes of parameter names (\"g.\"); none: all that sampling uses"}},
};
constexpr OptionRule cost_options[] = {
    {{"price", OptionType::string, "", "",
      "what an hour of the machine costs: \"0.35 USD/h\", or a name from a price list, \"gcp-t4\""},
     true},
    {{"prices", OptionType::path, "", "", "a price list of one's own, looked at before the shipped one"},
     true},
};
constexpr OptionRule reporter_options[] = {
    {{"required", OptionType::boolean, "", "false", "its failure ends the run"}},
};
constexpr OptionRule checkpoint_options[] = {
    {{"every", OptionType::string, "", "", "between two checkpoints; one is always written at the end"},
     true,
     true},
    {{"keep", OptionType::integer, "", "3", "newest checkpoints kept", 1, 1e6}},
    {{"milestones", OptionType::number_list, "iterations", "",
      "iterations after which there is a checkpoint that stays, however many come later", 1, 1e15},
     true,
     false,
     false,
     true},
};

constexpr OptionRule schedule_kind{{"kind", OptionType::string, "", nullptr,
                                    "how the learning rate goes on after the warm-up", -unbounded, unbounded,
                                    "constant|linear|cosine|step"}};
constexpr OptionRule warmup{
    {"warmup", OptionType::string, "", "", "how long the learning rate rises at first; absent: not at all"},
    true,
    false,
    true};
constexpr OptionRule warmup_factor{{"warmup_factor", OptionType::number, "", "0.0",
                                    "what the first update's learning rate is multiplied by", 0, 1}};
constexpr OptionRule length{{"length", OptionType::string, "", nullptr,
                             "until when the learning rate changes, from the first update on"},
                            false,
                            false,
                            true};
constexpr OptionRule end_factor{{"end_factor", OptionType::number, "", "0.0",
                                 "what the learning rate is multiplied by from then on", 0, 1e6}};
constexpr OptionRule every{
    {"every", OptionType::string, "", nullptr, "after how long the learning rate changes again"},
    false,
    false,
    true};
constexpr OptionRule factor{
    {"factor", OptionType::number, "", "0.1", "what the learning rate is multiplied by each time", 0, 1e6}};
constexpr OptionRule constant_options[] = {warmup, warmup_factor};
constexpr OptionRule curve_options[] = {length, end_factor, warmup, warmup_factor};
constexpr OptionRule step_options[] = {every, factor, warmup, warmup_factor};
constexpr ScheduleKind kinds[] = {{"constant", constant_options},
                                  {"linear", curve_options},
                                  {"cosine", curve_options},
                                  {"step", step_options}};

constexpr CoreTable tables[] = {
    {.name = "experiment", .options = experiment_options},
    {.name = "backend", .plugins = Plugins::one, .automatic = "the fastest one that has a device here"},
    {.name = "precision", .plugins = Plugins::one, .usual = "mixed"},
    {.name = "loss_scaler", .options = loss_scaler_options, .plugins = Plugins::one, .usual = "dynamic"},
    {.name = "dataset", .options = dataset_options, .plugins = Plugins::one, .usual = "synthetic"},
    {.name = "transform", .plugins = Plugins::list},
    {.name = "input", .options = input_options},
    {.name = "architecture", .plugins = Plugins::one, .usual = "acgan"},
    {.name = "optimizer", .plugins = Plugins::one, .per_operation = true, .scheduled = true, .usual = "adam"},
    {.name = "average", .options = average_options},
    {.name = "budget", .options = budget_options, .identifies = false},
    {.name = "sample", .options = sample_options, .identifies = false},
    {.name = "metrics", .options = metrics_options, .identifies = false},
    {.name = "monitor", .options = monitor_options, .identifies = false},
    {.name = "checkpoint", .options = checkpoint_options, .identifies = false},
    {.name = "cost", .options = cost_options, .identifies = false},
    {.name = "quality", .options = quality_options, .identifies = false},
    {.name = "reporter", .options = reporter_options, .plugins = Plugins::list, .identifies = false},
};

}  // namespace

std::span<const CoreTable> core_tables() {
  return tables;
}

const CoreTable* core_table(std::string_view name) {
  const auto* found =
      std::find_if(std::begin(tables), std::end(tables), [&](const CoreTable& t) { return t.name == name; });
  return found == std::end(tables) ? nullptr : found;
}

std::span<const ScheduleKind> schedule_kinds() {
  return kinds;
}

const OptionRule& schedule_kind_rule() {
  return schedule_kind;
}

std::vector<OptionRule> schedule_rules() {
  return {schedule_kind, length, end_factor, every, factor, warmup, warmup_factor};
}

bool identifies(std::string_view key) {
  const CoreTable* found = core_table(key.substr(0, key.find('.')));
  return !found || found->identifies;
}

bool stays_on_swap(std::string_view table, std::string_view key) {
  const CoreTable* found = core_table(table);
  if (found && found->scheduled && key == schedule_table) return true;
  return found && std::any_of(found->options.begin(), found->options.end(),
                              [&](const OptionRule& o) { return o.declaration.name == key; });
}

}  // namespace halfling::config
