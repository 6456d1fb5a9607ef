// SPDX-License-Identifier: Apache-2.0
#include "cli/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/printable.hpp"
#include "cli/table.hpp"
#include "measure/price.hpp"
#include "train/progress.hpp"

namespace halfling::cli {
namespace {

constexpr std::int64_t enough_iterations = 20;  // to tell a median and its range
constexpr double steady = 2;                    // most that p90 may be, in medians

/// "997 ±12": the digits are the mean's, and a spread that they do not show is left out.
std::string with_spread(const Spread& spread, int digits) {
  if (std::isnan(spread.mean)) return "-";
  const std::string text = fmt::format("{:.{}f}", spread.mean, digits);
  if (!(spread.deviation >= 0.5 * std::pow(10, -digits))) return text;
  return fmt::format("{} ±{:.{}f}", text, spread.deviation, digits);
}

std::string milliseconds(const Spread& spread) {
  return with_spread(spread, spread.mean < 100 ? 2 : 0);
}

/// "2570 (1.52x)": how many times the baseline's.
std::string against(const Spread& spread, std::optional<double> ratio) {
  if (!(spread.mean > 0)) return "-";
  const std::string text = with_spread(spread, 0);
  return ratio ? fmt::format("{} ({:.2f}x)", text, *ratio) : text;
}

std::string loss_text(const Setting& setting, const std::string& operation) {
  if (setting.first().operation(operation) == nullptr) return "-";
  const Spread spread = setting.spread([&](const Summary& run) {
    const OperationMetrics* metrics = run.operation(operation);
    return metrics == nullptr ? std::nan("") : metrics->loss;
  });
  const std::string text = number_text(spread.mean);
  return std::isnan(spread.deviation) ? text : fmt::format("{} ±{:.2g}", text, spread.deviation);
}

std::string name_of(const Summary& run) {
  return printable(run.label.empty() ? run.precision : run.label);
}

std::int64_t skipped(const Summary& run) {
  std::int64_t count = 0;
  for (const OperationMetrics& operation : run.operations) count += operation.skipped;
  return count;
}

/// All of a setting's skipped updates, and their share of all that could have been made.
std::string skipped_text(const Setting& setting) {
  std::int64_t count = 0;
  double all = 0;
  for (const ComparedRun& run : setting.runs) {
    count += skipped(run.summary);
    all += static_cast<double>(run.summary.iterations) * static_cast<double>(run.summary.operations.size());
  }
  return count == 0 ? "0" : fmt::format("{} ({:.3g}%)", count, 100 * static_cast<double>(count) / all);
}

bool has_price(const Setting& setting) {
  return setting.first().price.has_value();
}

std::string cost_text(const Setting& setting) {
  const Spread spread = setting.spread([](const Summary& run) { return run.cost(1e6); });
  if (std::isnan(spread.mean)) return "-";
  return with_spread(spread, spread.mean < 1000 ? 2 : 0) + " " + setting.first().price->currency;
}

bool has_quality(const Summary& run) {
  return run.quality && run.quality->error.empty();
}

/// Of generated images, and of real ones in brackets.
std::string distance_text(const Setting& setting) {
  const auto distance = [](const Summary& run, bool real) {
    if (!has_quality(run)) return std::nan("");
    return (real ? run.quality->real : run.quality->generated).frechet_distance;
  };
  const Spread made = setting.spread([&](const Summary& run) { return distance(run, false); });
  const Spread real = setting.spread([&](const Summary& run) { return distance(run, true); });
  return std::isnan(made.mean) ? "-" : fmt::format("{} ({:.2f})", with_spread(made, 2), real.mean);
}

Row heading(const std::vector<std::string>& operations, bool priced) {
  Row row{"TRIAL", "SEEDS", "ITERATIONS", "MS/ITERATION", "P10-P90", "IMAGES/S", "PEAK MIB"};
  if (priced) row.emplace_back("COST/1M");
  for (const std::string& operation : operations) row.push_back("LOSS " + operation);
  row.insert(row.end(), {"FRECHET (REAL)", "SKIPPED", "STATUS"});
  return row;
}

/// Runs of one setting ended alike; that others slowed one of them counts for all.
std::string status_text(const Setting& setting) {
  for (const ComparedRun& run : setting.runs)
    if (run.summary.disturbance.slowed()) return run.summary.marked_status();
  return setting.first().status;
}

Row row_of(const Setting& setting, const std::vector<std::string>& operations, bool priced) {
  const auto spread = [&](auto figure) { return setting.spread(figure); };
  const Spread p10 = spread([](const Summary& run) { return run.ms_per_iteration.p10; });
  const Spread p90 = spread([](const Summary& run) { return run.ms_per_iteration.p90; });
  const std::string range =
      milliseconds({p10.mean, std::nan("")}) + "-" + milliseconds({p90.mean, std::nan("")});
  const auto iterations = [](const Summary& run) { return static_cast<double>(run.iterations); };
  const auto mib = [](const Summary& run) { return static_cast<double>(run.peak_bytes) / (1 << 20); };
  Row row{setting.name + (setting.first().native ? "" : " [emulated]"),
          std::to_string(setting.runs.size()),
          with_spread(spread(iterations), 0),
          milliseconds(spread([](const Summary& run) { return run.ms_per_iteration.median; })),
          std::isnan(p10.mean) ? "-" : range,
          against(spread([](const Summary& run) { return run.images_per_s(); }), setting.speed),
          against(spread(mib), setting.memory)};
  if (priced) row.push_back(cost_text(setting));
  for (const std::string& operation : operations) row.push_back(loss_text(setting, operation));
  row.insert(row.end(), {distance_text(setting), skipped_text(setting), status_text(setting)});
  return row;
}

/// A trial's name may take several lines; then the least important column goes first. A status other than
/// "done", and skipped updates, stay.
std::vector<Narrowing> narrowing(const std::vector<ComparedRun>& runs,
                                 const std::vector<std::string>& operations) {
  using How = Narrowing::How;
  std::vector<Narrowing> steps{{"TRIAL", How::fold, 24}, {"ITERATIONS", How::drop}};
  for (const std::string& operation : operations) steps.push_back({"LOSS " + operation, How::drop});
  const auto done = [](const ComparedRun& run) { return run.summary.marked_status() == "done"; };
  const auto clean = [](const ComparedRun& run) { return skipped(run.summary) == 0; };
  if (std::ranges::all_of(runs, done)) steps.push_back({"STATUS", How::drop});
  if (std::ranges::all_of(runs, clean)) steps.push_back({"SKIPPED", How::drop});
  steps.push_back({"P10-P90", How::drop});
  steps.push_back({"COST/1M", How::drop});
  steps.push_back({"FRECHET (REAL)", How::drop});
  steps.push_back({"TRIAL", How::fold});
  return steps;
}

std::string noise(const Summary& run) {
  const Quantiles& ms = run.ms_per_iteration;
  if (run.timed_iterations < enough_iterations)
    return fmt::format("noisy: {} has only {} timed iteration{}\n", name_of(run), run.timed_iterations,
                       run.timed_iterations == 1 ? "" : "s");
  if (ms.p90 > steady * ms.median)
    return fmt::format("noisy: {}, one iteration in ten takes {:.1f} times the median or more\n",
                       name_of(run), ms.p90 / ms.median);
  return {};
}

std::string disturbed(const Summary& run) {
  if (!run.disturbance.slowed()) return {};
  return fmt::format(
      "disturbed: {}, its threads waited {:.0f} % of their time for a processor (load average {:.1f})\n",
      name_of(run), 100 * run.disturbance.processor_wait_share, run.disturbance.load_average);
}

/// An operation that hardly ever was updated has learnt nothing, whatever the other figures say.
std::string unlearnt(const Summary& run) {
  std::string text;
  for (const OperationMetrics& operation : run.operations) {
    if (2 * operation.skipped <= run.iterations) continue;
    const double share = 100 * static_cast<double>(operation.skipped) / static_cast<double>(run.iterations);
    text += fmt::format("WARNING: {}: {} of {} updates of {} were SKIPPED ({:.3g}%)\n", name_of(run),
                        operation.skipped, run.iterations, operation.name, share);
  }
  if (!text.empty())
    text += "  gradients were not finite: lower loss_scaler.initial, or use another precision\n";
  return text;
}

/// Whether two native settings differ in precision alone.
bool has_pair(const std::vector<Setting>& settings) {
  std::set<std::string> seen;
  return std::ranges::any_of(settings, [&](const Setting& setting) {
    return setting.first().native && !seen.insert(setting.runs.front().others).second;
  });
}

/// What "±" and "x" in the table mean, or why there is no "x".
std::string legend(const std::vector<Setting>& settings, const std::string& wanted) {
  std::string text;
  const auto seeds = [](const Setting& setting) { return setting.runs.size() > 1; };
  const auto related = [](const Setting& setting) { return setting.speed || setting.memory; };
  if (std::ranges::any_of(settings, seeds))
    text += "±: means of several seeds, and their standard deviation\n";
  const std::string baseline = printable(wanted.empty() ? "fp32" : wanted);
  if (std::ranges::any_of(settings, related))
    text += fmt::format("x: times the trial of {} that differs in precision alone\n", baseline);
  else if (has_pair(settings))
    text += fmt::format("no ratios: no native trial of {} among those that differ in precision alone{}\n",
                        baseline, wanted.empty() ? "; --baseline LABEL takes another" : "");
  else if (settings.size() > 1)
    text += "no ratios: no two native trials differ in precision alone\n";
  std::set<std::string> prices;
  for (const Setting& setting : settings)
    if (has_price(setting)) prices.insert(price_and_name(*setting.first().price));
  if (!prices.empty())
    text += fmt::format("COST/1M: of a million iterations, at {}\n", fmt::join(prices, " and "));
  return text;
}

}  // namespace

std::string comparison(const std::vector<ComparedRun>& runs, const std::string& baseline, std::size_t width) {
  if (runs.empty()) return {};
  const std::vector<std::string> operations = operation_names(runs, &ComparedRun::summary);
  const std::vector<Setting> settings = settings_of(runs, baseline);
  const bool priced = std::ranges::any_of(settings, has_price);
  std::vector<Row> rows{heading(operations, priced)};
  for (const Setting& setting : settings) rows.push_back(row_of(setting, operations, priced));
  const auto measured = [](const ComparedRun& run) { return has_quality(run.summary); };
  if (std::ranges::none_of(runs, measured)) {
    const auto column = std::ranges::find(rows.front(), "FRECHET (REAL)") - rows.front().begin();
    for (Row& row : rows) row.erase(row.begin() + column);
  }
  if (settings.size() == runs.size())
    for (Row& row : rows) row.erase(row.begin() + 1);  // SEEDS
  std::string notes = legend(settings, baseline);
  for (const ComparedRun& run : runs) notes += noise(run.summary) + disturbed(run.summary);
  const auto native = [](const ComparedRun& run) { return run.summary.native; };
  if (!std::ranges::all_of(runs, native)) notes += "emulated: shows numerics, never speed\n";
  for (const ComparedRun& run : runs) notes += unlearnt(run.summary);
  return table(std::move(rows), width, narrowing(runs, operations)) + wrapped(notes, width);
}

}  // namespace halfling::cli
