// SPDX-License-Identifier: Apache-2.0
// halfling plan EXPERIMENT
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>

#include "base/json_text.hpp"
#include "base/printable.hpp"
#include "cli/experiment_file.hpp"
#include "cli/prediction.hpp"
#include "cli/table.hpp"
#include "cli/trials.hpp"
#include "plan/forecast.hpp"
#include "plan/preflight.hpp"

namespace halfling::cli {
namespace {

using nlohmann::ordered_json;
namespace po = boost::program_options;

std::string mib(std::uint64_t bytes) {
  return fmt::format("{:.1f} MiB", static_cast<double>(bytes) / (1 << 20));
}

std::string layer_table(const Forecast& forecast) {
  std::vector<Row> rows{{"NETWORK", "LAYER", "OP", "RESULT", "PARAMETERS", "STORED", "COMPUTED"}};
  for (const Layer& layer : forecast.layers)
    rows.push_back({layer.network, layer.name, layer.op, layer.shape.text(), std::to_string(layer.parameters),
                    std::string(halfling::name_of(layer.io)), std::string(halfling::name_of(layer.compute))});
  using How = Narrowing::How;
  return table(
      std::move(rows), output_width(),
      {{"NETWORK", How::drop}, {"LAYER", How::cut_begin}, {"RESULT", How::drop}, {"COMPUTED", How::drop}});
}

std::string work_table(const Forecast& forecast) {
  std::vector<Row> rows{{"PER ITERATION", "GFLOP", "MB READ AND WRITTEN"}};
  const std::pair<std::string, Work> parts[] = {
      {"forward", forecast.forward},
      {"backward", forecast.backward},
      {"update", forecast.update},
      {"all", forecast.work()},
      {fmt::format("of it {} casts between formats", forecast.casts), forecast.cast_work}};
  for (const auto& [name, work] : parts)
    rows.push_back({name, fmt::format("{:.4g}", work.flops / 1e9), fmt::format("{:.4g}", work.bytes / 1e6)});
  return table(rows);
}

std::string memory_table(const MemoryForecast& memory) {
  return table({{"MEMORY, PREDICTED", ""},
                {"parameters", mib(memory.parameters)},
                {"optimizer", mib(memory.optimizer)},
                {"statistics, scales, counters", mib(memory.other_states)},
                {"activations", mib(memory.activations)},
                {"gradients", mib(memory.gradients)},
                {"temporaries of updates", mib(memory.updates)},
                {"image grids", mib(memory.grids)},
                {"numerics monitor", mib(memory.monitor)},
                {"copy of the states, for checkpoints", mib(memory.snapshot)},
                {"all, without the libraries' workspace", mib(memory.total())}});
}

std::string largest_batch(const Forecast& forecast, const Device& device, const DataFacts& data) {
  if (device.memory == 0) return "largest batch: unknown, the device does not tell its memory\n";
  const bool data_limits = data.samples < forecast.largest_batch;
  return fmt::format("largest batch, predicted: {}, limited by {}\n",
                     data_limits ? data.samples : forecast.largest_batch,
                     data_limits ? "the data set's size" : "the device's " + mib(device.memory));
}

std::string after(const std::vector<NamedChoice>& transforms) {
  return transforms.empty() ? "" : fmt::format(" (after {})", names_of(transforms));
}

void print_text(const Experiment& trial, const Platform& platform, const DataFacts& data, const Forecast& f) {
  std::cout << fmt::format("\ntrial {}{}{}\n", trial.id, trial.label.empty() ? "" : ": ",
                           printable(trial.label));
  std::cout << fmt::format("backend {} on {}, {}", platform.backend_name, printable(platform.device.name),
                           platform.choice);
  for (const std::string& format : platform.emulated) std::cout << ", " << format << " emulated: no speed";
  const std::int64_t batch = trial.input.batch_size, batches = f.samples_per_iteration / batch;
  std::cout << fmt::format("\ndata {}: {} samples of {}{} in {} classes, {} batches of {} an epoch\n",
                           trial.dataset.use, data.samples, data.image.text(), after(trial.transforms),
                           data.classes.size(), data.samples / f.samples_per_iteration * batches, batch);
  if (batches > 1) std::cout << fmt::format("{} batches an iteration: a phase is repeated\n", batches);
  if (f.variants > 1)
    std::cout << fmt::format(
        "{} kinds of iterations: a phase does not run in every one; arithmetic is the mean\n", f.variants);
  std::cout << "\n";
  std::cout << layer_table(f) << fmt::format("\n{} parameters\n\n", f.parameters) << work_table(f) << "\n"
            << memory_table(f.memory) << "\n"
            << largest_batch(f, platform.device, data);
}

ordered_json shape_json(const Shape& shape) {
  ordered_json result = ordered_json::array();
  for (int axis = 0; axis < shape.rank(); ++axis) result.push_back(shape[axis]);
  return result;
}

ordered_json data_json(const Experiment& trial, const DataFacts& data) {
  ordered_json transforms = ordered_json::array();
  for (const NamedChoice& element : trial.transforms) transforms.push_back(element.name);
  return {{"samples", data.samples},
          {"classes", data.classes},
          {"transforms", std::move(transforms)},
          {"image", shape_json(data.image)}};
}

ordered_json layer_json(const Layer& layer) {
  return {{"network", layer.network},
          {"layer", layer.name},
          {"op", layer.op},
          {"result", shape_json(layer.shape)},
          {"parameters", layer.parameters},
          {"stored", halfling::name_of(layer.io)},
          {"computed", halfling::name_of(layer.compute)}};
}

ordered_json work_json(const Work& work) {
  return {{"flops", work.flops}, {"bytes", work.bytes}};
}

ordered_json forecast_json(const Experiment& trial, const Platform& platform, const DataFacts& data,
                           const Forecast& f) {
  const MemoryForecast& m = f.memory;
  ordered_json result = {{"trial", trial.id},
                         {"label", trial.label},
                         {"backend", platform.backend_name},
                         {"device", platform.device.name},
                         {"emulated", platform.emulated},
                         {"data", data_json(trial, data)},
                         {"operations", f.operations},
                         {"parameters", f.parameters},
                         {"samples_per_iteration", f.samples_per_iteration},
                         {"layers", ordered_json::array()},
                         {"per_iteration",
                          {{"forward", work_json(f.forward)},
                           {"backward", work_json(f.backward)},
                           {"update", work_json(f.update)},
                           {"casts", {{"count", f.casts}, {"bytes", f.cast_work.bytes}}}}},
                         {"predicted_bytes",
                          {{"parameters", m.parameters},
                           {"optimizer", m.optimizer},
                           {"other_states", m.other_states},
                           {"activations", m.activations},
                           {"gradients", m.gradients},
                           {"updates", m.updates},
                           {"grids", m.grids},
                           {"monitor", m.monitor},
                           {"snapshot", m.snapshot},
                           {"total", m.total()}}},
                         {"predicted_largest_batch", nullptr}};
  for (const Layer& layer : f.layers) result["layers"].push_back(layer_json(layer));
  if (platform.device.memory)
    result["predicted_largest_batch"] = std::min<std::int64_t>(f.largest_batch, data.samples);
  return result;
}

/// What run would refuse although it can be planned: the trials that are too large for their device.
std::string memory_refusal(const LoadedExperiment& loaded, Preflight& preflight) {
  try {
    for (std::size_t i = 0; i < loaded.trials.size(); ++i) preflight.check_memory(loaded.trials[i], i + 1);
    preflight.raise();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

std::optional<std::filesystem::path> own_catalogue(const po::variables_map& values) {
  if (values.count("accelerators") == 0) return std::nullopt;
  return values["accelerators"].as<std::string>();
}

}  // namespace

Grammar plan_grammar() {
  Grammar grammar{.synopsis = "plan EXPERIMENT [options]",
                  .description =
                      "Checks an experiment as run does, and tells its trials and what one of them needs:\n"
                      "layers, arithmetic, memory. It trains nothing."};
  add_experiment(grammar);
  add_trial(grammar);
  grammar.options.add_options()(
      "predict", po::bool_switch(),
      "of every trial, the time of an iteration and its cost on known accelerators and "
      "on this device, which is measured for a second");
  grammar.options.add_options()(
      "accelerators", po::value<std::string>()->value_name("FILE"),
      "with --predict: more of them, in the form of core/measure/accelerators.toml");
  grammar.options.add_options()("out", po::value<std::string>()->value_name("DIR")->default_value("runs"),
                                "where run folders are, whose times are shown beside what is predicted");
  add_plugin_path(grammar);
  add_format(grammar);
  return grammar;
}

int run_plan(const Values& values) {
  const bool json_wanted = wants_json(values);
  const Registry registry = Registry::scan(plugin_path(values));
  for (const std::string& note : refusal_notes(registry)) std::cerr << printable(note) << "\n";
  const LoadedExperiment loaded = load(values, registry);
  const Experiment& trial = loaded.trials[chosen_trial(values, loaded).value_or(0)];
  if (!json_wanted) std::cout << trial_table(loaded);
  Preflight preflight(registry, loaded.trials.size());
  for (std::size_t i = 0; i < loaded.trials.size(); ++i) preflight.check(loaded.trials[i], i + 1);
  preflight.raise();
  preflight.check(trial);
  for (const std::string& note : loaded.notes) std::cerr << printable(note) << "\n";
  const Forecast told = forecast(trial, registry, preflight.platform(), preflight.data());
  if (!json_wanted) print_text(trial, preflight.platform(), preflight.data(), told);
  ordered_json plan = forecast_json(trial, preflight.platform(), preflight.data(), told);
  ordered_json predicted;
  if (values["predict"].as<bool>()) {
    const Predictions all =
        predict(loaded, registry, preflight, runs_folder(values, trial), own_catalogue(values));
    if (!json_wanted) std::cout << "\n" << prediction_text(all, output_width());
    predicted = prediction_json(all);
  }
  const std::string refusal = memory_refusal(loaded, preflight);
  plan["refusal"] = refusal.empty() ? ordered_json() : ordered_json(refusal);
  if (!refusal.empty()) std::cerr << printable_lines(refusal) << "\n";
  const int status = refusal.empty() ? exit_done : exit_usage;
  if (!json_wanted) return status;
  ordered_json result = {
      {"experiment", trial.name}, {"trials", trials_json(loaded)}, {"plan", std::move(plan)}};
  if (!predicted.is_null()) result["prediction"] = std::move(predicted);
  std::cout << json_text(result, 2) << "\n";
  return status;
}

}  // namespace halfling::cli
