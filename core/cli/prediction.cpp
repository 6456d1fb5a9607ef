// SPDX-License-Identifier: Apache-2.0
#include "cli/prediction.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/table.hpp"
#include "measure/price.hpp"
#include "plan/device_rates.hpp"
#include "plan/forecast.hpp"
#include "plan/prediction.hpp"
#include "run/run_folder.hpp"

namespace halfling::cli {
namespace {

using nlohmann::ordered_json;

std::string ms_text(double ms) {
  return fmt::format("{:.{}f}", ms, ms < 10 ? 2 : ms < 100 ? 1 : 0);
}

std::optional<Price> price_of(const Accelerator& device) {
  return device.price.empty() ? std::nullopt : std::optional(find_price(device.price, std::nullopt));
}

std::string label_of(const TrialPrediction& trial) {
  return trial.label.empty() ? trial.trial : trial.label;
}

std::optional<double> measured_ms(const std::filesystem::path& runs, const Experiment& trial,
                                  const Platform& platform) {
  const auto summary = read_summary(RunFolder(runs, trial).summary());
  if (!summary || summary->device != platform.device.name || !(summary->ms_per_iteration.median > 0))
    return std::nullopt;
  return summary->ms_per_iteration.median;
}

TrialPrediction predict_one(const Experiment& trial, const Registry& registry, const Preflight& preflight,
                            const std::filesystem::path& runs, const Predictions& all) {
  const Platform& platform = preflight.platform();
  std::vector<Rates> rates;
  for (const Accelerator& device : all.devices) rates.push_back(device.rates);
  rates.push_back(all.rates);
  TrialPrediction result{
      trial.id, trial.label, predicted_times(trial, registry, platform, preflight.data(), rates), {}, {}};
  result.here = result.devices.back();
  result.devices.pop_back();
  if (!platform.native()) result.here.reset();
  const MemoryForecast memory = forecast(trial, registry, platform, preflight.data()).memory;
  for (std::size_t i = 0; i < all.devices.size(); ++i)
    if (static_cast<double>(memory.total() - memory.snapshot) > all.devices[i].memory)
      result.devices[i].reset();
  if (result.here) result.measured_ms = measured_ms(runs, trial, platform);
  return result;
}

/// "-8 %" where the prediction is too short.
std::string error_text(const TrialPrediction& trial) {
  return fmt::format("{:+.0f} %", 100 * (1000 * trial.here->total() / *trial.measured_ms - 1));
}

Row time_row(const TrialPrediction& trial) {
  Row row{label_of(trial)};
  for (const auto& time : trial.devices) row.push_back(time ? ms_text(1000 * time->total()) : "-");
  row.push_back(trial.here ? ms_text(1000 * trial.here->total()) : "-");
  row.push_back(trial.measured_ms ? ms_text(*trial.measured_ms) : "-");
  row.push_back(trial.measured_ms ? error_text(trial) : "-");
  return row;
}

Row cost_row(const TrialPrediction& trial, const std::vector<Accelerator>& devices) {
  Row row{label_of(trial)};
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const auto price = price_of(devices[i]);
    if (!price) continue;
    row.push_back(trial.devices[i] ? fmt::format("{:.2f}", price->of(1000 * trial.devices[i]->total(), 1e6))
                                   : "-");
  }
  return row;
}

std::string notes(const Predictions& p) {
  std::string prices;
  for (const Accelerator& device : p.devices)
    if (const auto price = price_of(device))
      prices += fmt::format("{}{} {}", prices.empty() ? "" : ", ", device.name, price_and_name(*price));
  const Rates& r = p.rates;
  return fmt::format(
      "predicted: a roofline over the iteration's graph, nothing was run on these devices. Of a data sheet's "
      "rates, products get 70 % in fp32 and 45 % in half formats, loops 75 % of the bandwidth, and each step "
      "begins after 2.5 us; -: the device lacks a format or memory\n"
      "HERE: {}: products at {:.0f} GFLOP/s in fp32{}, memory at {:.0f} GB/s and {:.1f} us a step, measured "
      "just now; of that, iterations get 85 %{}, and loops 90 %\n"
      "MEASURED: by the run of the trial, where there is one on this device; ERROR: of the prediction\n"
      "prices: {}\n",
      p.here, 1e-9 * r.f32, r.half > 0 ? fmt::format(" and {:.0f} in half", 1e-9 * r.half) : "",
      1e-9 * r.bandwidth, 1e6 * r.launch_s, r.half > 0 ? " in fp32 and 80 % in half" : "", prices);
}

ordered_json time_json(const std::optional<PredictedTime>& time) {
  if (!time) return nullptr;
  return {{"ms", 1000 * time->total()},
          {"contractions_ms", 1000 * time->contractions},
          {"loops_ms", 1000 * time->loops},
          {"updates_ms", 1000 * time->updates},
          {"launches_ms", 1000 * time->launches}};
}

ordered_json device_json(const Accelerator& device) {
  const auto price = price_of(device);
  return {{"name", device.name},
          {"what", device.what},
          {"source", device.source},
          {"date", device.date},
          {"price", price ? ordered_json(price_and_name(*price)) : ordered_json()}};
}

ordered_json trial_json(const TrialPrediction& trial, const std::vector<Accelerator>& devices) {
  ordered_json result = {{"trial", trial.trial}, {"label", trial.label}};
  for (std::size_t i = 0; i < devices.size(); ++i) {
    ordered_json time = time_json(trial.devices[i]);
    if (const auto price = price_of(devices[i]); price && trial.devices[i])
      time["per_million_batches"] = price->of(1000 * trial.devices[i]->total(), 1e6);
    result["predicted"][devices[i].name] = std::move(time);
  }
  result["predicted"]["here"] = time_json(trial.here);
  result["measured_ms"] = trial.measured_ms ? ordered_json(*trial.measured_ms) : ordered_json();
  return result;
}

}  // namespace

Predictions predict(const LoadedExperiment& loaded, const Registry& registry, Preflight& preflight,
                    const std::filesystem::path& runs, const std::optional<std::filesystem::path>& own) {
  Predictions result;
  result.devices = known_accelerators(own);
  for (std::size_t i = 0; i < loaded.trials.size(); ++i) {
    preflight.check(loaded.trials[i], i + 1);
    preflight.raise();
    if (i == 0) {
      result.here = preflight.platform().device.name;
      result.rates = measured_rates(preflight.platform());
    }
    result.trials.push_back(predict_one(loaded.trials[i], registry, preflight, runs, result));
  }
  return result;
}

std::string prediction_text(const Predictions& p, std::size_t width) {
  std::vector<Row> times{{"MS AN ITERATION, PREDICTED"}}, costs{{"COST OF A MILLION, PREDICTED"}};
  for (const Accelerator& device : p.devices) {
    times[0].push_back(device.name);
    if (price_of(device)) costs[0].push_back(device.name);
  }
  times[0].insert(times[0].end(), {"HERE", "MEASURED", "ERROR"});
  for (const TrialPrediction& trial : p.trials) {
    times.push_back(time_row(trial));
    costs.push_back(cost_row(trial, p.devices));
  }
  using How = Narrowing::How;
  return table(std::move(times), width, {{"MS AN ITERATION, PREDICTED", How::fold, 24}}) + "\n" +
         table(std::move(costs), width, {{"COST OF A MILLION, PREDICTED", How::fold, 24}}) + "\n" +
         wrapped(notes(p), width);
}

ordered_json prediction_json(const Predictions& p) {
  ordered_json result = {{"here",
                          {{"name", p.here},
                           {"fp32_flops", p.rates.f32},
                           {"half_flops", p.rates.half},
                           {"bandwidth", p.rates.bandwidth},
                           {"launch_s", p.rates.launch_s}}},
                         {"devices", ordered_json::array()},
                         {"trials", ordered_json::array()}};
  for (const Accelerator& device : p.devices) result["devices"].push_back(device_json(device));
  for (const TrialPrediction& trial : p.trials) result["trials"].push_back(trial_json(trial, p.devices));
  return result;
}

}  // namespace halfling::cli
