// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/json_number.hpp"
#include "report/answer.hpp"
#include "report/page.hpp"

namespace halfling {
namespace {

using nlohmann::ordered_json;

/// Null where nothing was measured.
ordered_json measured(double value) {
  return std::isnan(value) ? ordered_json() : json_number(value);
}

ordered_json spread_json(const Spread& spread) {
  return {{"mean", measured(spread.mean)}, {"deviation", measured(spread.deviation)}};
}

ordered_json setting_json(const Setting& setting) {
  const auto figure = [&](auto get) { return spread_json(setting.spread(get)); };
  ordered_json cost;
  if (const auto price = setting.price()) {
    cost = price_json(*price);
    cost["per_million_batches"] = measured(setting.cost(1e6));
    cost["per_million_samples"] = measured(setting.cost(1e6 / static_cast<double>(setting.batch_size)));
  }
  return {{"name", setting.name},
          {"precision", setting.precision},
          {"batch_size", setting.batch_size},
          {"native", setting.native()},
          {"seeds", setting.runs.size()},
          {"ms_per_iteration", spread_json(setting.ms())},
          {"images_per_s", figure([](const Summary& run) { return run.images_per_s(); })},
          {"peak_bytes", figure([](const Summary& run) {
             return run.peak_bytes > 0 ? static_cast<double>(run.peak_bytes) : std::nan("");
           })},
          {"cost", cost}};
}

ordered_json quality_json(const std::optional<QualityDifference>& quality) {
  if (!quality) return nullptr;
  return {{"frechet_distance_of_baseline", quality->baseline},
          {"frechet_distance", quality->other},
          {"low", measured(quality->low)},
          {"high", measured(quality->high)},
          {"seeds", quality->seeds},
          {"measurable", quality->measurable()}};
}

ordered_json comparison_json(const Comparison& c) {
  return {{"setting", c.other->name},
          {"baseline", c.baseline->name},
          {"speed",
           {{"ratio", json_number(c.speed.value)},
            {"low", json_number(c.speed.low)},
            {"high", json_number(c.speed.high)},
            {"interval", c.speed.ratios == 1              ? "p10 to p90 of iterations"
                         : c.speed.ratios > c.speed.seeds ? "95 % confidence over blocks"
                                                          : "95 % confidence over seeds"},
            {"seeds", c.speed.seeds},
            {"ratios", c.speed.ratios},
            {"measurable", c.speed.measurable()}}},
          {"quality", quality_json(c.quality)},
          {"memory", c.memory ? ordered_json(*c.memory) : ordered_json()}};
}

ordered_json metrics_json(const std::vector<RunMetrics>& metrics) {
  ordered_json lines = ordered_json::array();
  for (const RunMetrics& figures : metrics) {
    ordered_json line = {{"iteration", figures.iteration}, {"elapsed_s", figures.elapsed}};
    for (const OperationMetrics& o : figures.operations)
      line["operations"][o.name] = {
          {"loss", json_number(o.loss)}, {"loss_scale", json_number(o.loss_scale)}, {"skipped", o.skipped}};
    lines.push_back(std::move(line));
  }
  return lines;
}

ordered_json run_json(const std::string& name, const RunRecord& run) {
  ordered_json values = ordered_json::object();
  for (const auto& [key, value] : run.values) values[key] = value;
  return {{"name", name},
          {"folder", run.folder.string()},
          {"status", status_text(run.summary)},
          {"summary", summary_json(run.summary)},
          {"environment", run.environment},
          {"values", values},
          {"metrics", metrics_json(run.metrics)}};
}

}  // namespace

ordered_json report_json(const Report& report) {
  const Answer answer = answer_of(report);
  ordered_json result = {
      {"answer", {{"sentence", answer.sentence}, {"others", answer.others}, {"notes", answer.notes}}}};
  for (const char* key : {"comparisons", "settings", "runs"}) result[key] = ordered_json::array();
  for (const Comparison& c : report.comparisons) result["comparisons"].push_back(comparison_json(c));
  for (const Setting& setting : report.settings) result["settings"].push_back(setting_json(setting));
  for (std::size_t i = 0; i < report.runs.size(); ++i)
    result["runs"].push_back(run_json(report.names[i], report.runs[i]));
  return result;
}

}  // namespace halfling
