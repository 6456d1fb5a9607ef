// SPDX-License-Identifier: Apache-2.0
#include "experiment/core_tables.hpp"

#include <algorithm>

namespace halfling::config {
namespace {

constexpr OptionRule experiment_options[] = {
    {{"name", OptionType::string, "", nullptr, "name of the experiment, and of its folder of runs"}},
    {{"seed", OptionType::integer, "", "1", "seed of initial parameters, noise and order of the samples", 0}},
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
constexpr OptionRule input_options[] = {
    {{"batch_size", OptionType::integer, "samples", "64", "samples per iteration", 1, 1 << 20}},
    {{"prefetch", OptionType::integer, "batches", "4", "most batches in flight", 1, 1024}},
    {{"workers", OptionType::integer, "threads", "1", "threads that read samples", 1, 256}},
    {{"shuffle", OptionType::boolean, "", "true", "new order of the samples in each epoch"}},
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
constexpr OptionRule checkpoint_options[] = {
    {{"every", OptionType::string, "", "", "between two checkpoints; one is always written at the end"},
     true,
     true},
    {{"keep", OptionType::integer, "", "3", "newest checkpoints kept", 1, 1e6}},
};

constexpr CoreTable tables[] = {
    {"experiment", experiment_options, false},
    {"backend", {}, true},
    {"precision", {}, true},
    {"loss_scaler", loss_scaler_options, true},
    {"dataset", {}, true},
    {"input", input_options, false},
    {"architecture", {}, true},
    {"optimizer", {}, true},
    {"budget", budget_options, false},
    {"sample", sample_options, false},
    {"metrics", metrics_options, false},
    {"monitor", monitor_options, false},
    {"checkpoint", checkpoint_options, false},
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

bool is_component(std::string_view table) {
  const CoreTable* found = core_table(table);
  return found && found->component;
}

bool stays_on_swap(std::string_view table, std::string_view key) {
  const CoreTable* found = core_table(table);
  return found && std::any_of(found->options.begin(), found->options.end(),
                              [&](const OptionRule& o) { return o.declaration.name == key; });
}

}  // namespace halfling::config
