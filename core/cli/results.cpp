// SPDX-License-Identifier: Apache-2.0
#include "cli/results.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace halfling::cli {
namespace {

using nlohmann::ordered_json;

ordered_json number_json(double value) {
  return std::isfinite(value) ? ordered_json(value) : ordered_json();
}

ordered_json number_json(const std::optional<double>& value) {
  return value ? ordered_json(*value) : ordered_json();
}

ordered_json spread_json(const Spread& spread) {
  return {{"mean", number_json(spread.mean)}, {"deviation", number_json(spread.deviation)}};
}

ordered_json trial_json(const Plan& plan, std::size_t number, const Results& results) {
  const Experiment& trial = plan.loaded.trials[number];
  ordered_json result = {{"number", number + 1},
                         {"trial", trial.id},
                         {"label", trial.label},
                         {"folder", plan.folders[number].path().string()},
                         {"status", "not started"}};
  const auto run = std::ranges::find(results.runs, number + 1, &ComparedRun::number);
  const auto failure = std::ranges::find(results.failed, number, &Failure::number);
  if (run != results.runs.end()) {
    result["status"] = run->summary.status;
    result["summary"] = summary_json(run->summary);
  } else if (failure != results.failed.end()) {
    result["status"] = "failed";
    result["error"] = failure->error;
  }
  return result;
}

ordered_json setting_json(const Setting& setting) {
  ordered_json trials = ordered_json::array();
  for (const ComparedRun& run : setting.runs) trials.push_back(run.number);
  const auto median = [](const Summary& run) { return run.ms_per_iteration.median; };
  const auto speed = [](const Summary& run) { return run.images_per_s(); };
  const auto memory = [](const Summary& run) { return static_cast<double>(run.peak_bytes); };
  return {{"name", setting.name},
          {"trials", trials},
          {"ms_per_iteration", spread_json(setting.spread(median))},
          {"images_per_s", spread_json(setting.spread(speed))},
          {"peak_bytes", spread_json(setting.spread(memory))},
          {"baseline", setting.baseline.empty() ? ordered_json() : ordered_json(setting.baseline)},
          {"images_per_s_ratio", number_json(setting.speed)},
          {"peak_bytes_ratio", number_json(setting.memory)}};
}

}  // namespace

ordered_json results_json(const Plan& plan, const Results& results, const std::string& baseline) {
  ordered_json result = {{"experiment", plan.loaded.trials.front().name},
                         {"trials", ordered_json::array()},
                         {"settings", ordered_json::array()}};
  for (const std::size_t number : plan.numbers) result["trials"].push_back(trial_json(plan, number, results));
  for (const Setting& setting : settings_of(results.runs, baseline))
    result["settings"].push_back(setting_json(setting));
  return result;
}

}  // namespace halfling::cli
