// SPDX-License-Identifier: Apache-2.0
#include "cli/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/table.hpp"
#include "report/progress.hpp"

namespace halfling::cli {
namespace {

constexpr std::int64_t enough_iterations = 20;  // to tell a median and its range
constexpr double steady = 2;                    // most that p90 may be, in medians

/// "2570 (1.52x)": the second number is how many times the first run's; not beside the first.
std::string against(double value, double first) {
  if (std::isnan(value) || value <= 0) return "-";
  const std::string text = fmt::format("{:.0f}", value);
  return std::isnan(first) || first == value ? text : fmt::format("{} ({:.2f}x)", text, value / first);
}

std::string milliseconds(double value) {
  return std::isnan(value) ? "-" : fmt::format("{:.{}f}", value, value < 100 ? 2 : 0);
}

std::string name_of(const Summary& run) {
  return run.label.empty() ? run.precision : run.label;
}

std::int64_t skipped(const Summary& run) {
  std::int64_t count = 0;
  for (const OperationFigures& operation : run.operations) count += operation.skipped;
  return count;
}

/// Of all updates that a run could have made.
double skipped_share(const Summary& run) {
  const auto all = static_cast<double>(run.iterations) * static_cast<double>(run.operations.size());
  return all > 0 ? static_cast<double>(skipped(run)) / all : 0;
}

std::string skipped_text(const Summary& run) {
  const std::int64_t count = skipped(run);
  return count == 0 ? "0" : fmt::format("{} ({:.3g}%)", count, 100 * skipped_share(run));
}

Row heading(const Summary& first) {
  Row row{"TRIAL", "ITERATIONS", "MS/ITERATION", "P10-P90", "IMAGES/S", "PEAK MIB"};
  for (const OperationFigures& operation : first.operations) row.push_back("LOSS " + operation.name);
  row.insert(row.end(), {"SKIPPED", "STATUS"});
  return row;
}

Row row_of(const Summary& run, const Summary& first) {
  const Quantiles& ms = run.ms_per_iteration;
  const double mib = static_cast<double>(run.peak_bytes) / (1 << 20);
  const double first_mib = static_cast<double>(first.peak_bytes) / (1 << 20);
  Row row{name_of(run) + (run.native ? "" : " [emulated]"),
          std::to_string(run.iterations),
          milliseconds(ms.median),
          std::isnan(ms.median) ? "-" : milliseconds(ms.p10) + "-" + milliseconds(ms.p90),
          against(run.images_per_s, first.images_per_s),
          against(mib, first_mib)};
  for (const OperationFigures& operation : run.operations) row.push_back(number_text(operation.loss));
  row.insert(row.end(), {skipped_text(run), run.status});
  return row;
}

/// The least important first. A status other than "done", and skipped updates, stay.
std::vector<Narrowing> narrowing(const std::vector<Summary>& runs) {
  using How = Narrowing::How;
  std::vector<Narrowing> steps{{"ITERATIONS", How::drop}};
  for (const OperationFigures& operation : runs.front().operations)
    steps.push_back({"LOSS " + operation.name, How::drop});
  const auto done = [](const Summary& run) { return run.status == "done"; };
  const auto clean = [](const Summary& run) { return skipped(run) == 0; };
  if (std::ranges::all_of(runs, done)) steps.push_back({"STATUS", How::drop});
  if (std::ranges::all_of(runs, clean)) steps.push_back({"SKIPPED", How::drop});
  steps.push_back({"P10-P90", How::drop});
  steps.push_back({"TRIAL", How::cut_begin});
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

/// An operation that hardly ever was updated has learnt nothing, whatever the other figures say.
std::string unlearnt(const Summary& run) {
  std::string text;
  for (const OperationFigures& operation : run.operations) {
    if (2 * operation.skipped <= run.iterations) continue;
    const double share = 100 * static_cast<double>(operation.skipped) / static_cast<double>(run.iterations);
    text += fmt::format("WARNING: {}: {} of {} updates of {} were SKIPPED ({:.3g}%)\n", name_of(run),
                        operation.skipped, run.iterations, operation.name, share);
  }
  if (!text.empty())
    text += "  gradients were not finite: lower loss_scaler.initial, or use another precision\n";
  return text;
}

}  // namespace

std::string comparison(const std::vector<Summary>& runs, std::size_t width) {
  if (runs.empty()) return {};
  std::vector<Row> rows{heading(runs.front())};
  for (const Summary& run : runs) rows.push_back(row_of(run, runs.front()));
  std::string text = table(std::move(rows), width, narrowing(runs));
  for (const Summary& run : runs) text += noise(run);
  if (!std::ranges::all_of(runs, &Summary::native)) text += "emulated: shows numerics, never speed\n";
  for (const Summary& run : runs) text += unlearnt(run);
  return text;
}

}  // namespace halfling::cli
