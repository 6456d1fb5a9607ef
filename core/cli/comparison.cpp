// SPDX-License-Identifier: Apache-2.0
#include "cli/comparison.hpp"

#include <fmt/format.h>

#include <cmath>

#include "cli/table.hpp"

namespace halfling::cli {
namespace {

/// "12.3 (1.52x)": the second number is how many times less than the first run's; not beside the first.
std::string against(double value, double first, const std::string& text) {
  if (std::isnan(value) || value <= 0) return "-";
  return std::isnan(first) || first == value ? text : fmt::format("{} ({:.2f}x)", text, first / value);
}

std::string name_of(const Summary& run) {
  std::string name = run.label.empty() ? run.precision : run.label;
  if (!run.native) name += " [emulated: numerics, not speed]";
  return name;
}

Row heading(const Summary& first) {
  Row row{"TRIAL", "ITERATIONS", "MS/ITERATION", "IMAGES/S", "PEAK MIB"};
  for (const OperationFigures& operation : first.operations) row.push_back("LOSS " + operation.name);
  row.insert(row.end(), {"SKIPPED", "STATUS"});
  return row;
}

Row row_of(const Summary& run, const Summary& first) {
  const double ms = run.ms_per_iteration.median;
  const double mib = static_cast<double>(run.peak_bytes) / (1 << 20);
  const double first_mib = static_cast<double>(first.peak_bytes) / (1 << 20);
  const double rate = 1e6 / run.ms_per_1000_samples();
  Row row{name_of(run), std::to_string(run.iterations),
          against(ms, first.ms_per_iteration.median, fmt::format("{:.2f}", ms)),
          std::isnan(rate) ? "-" : fmt::format("{:.0f}", rate),
          against(mib, first_mib, fmt::format("{:.0f}", mib))};
  std::int64_t skipped = 0;
  for (const OperationFigures& operation : run.operations) {
    row.push_back(fmt::format("{:#.4g}", operation.loss));
    skipped += operation.skipped;
  }
  row.insert(row.end(), {std::to_string(skipped), run.status});
  return row;
}

}  // namespace

std::string comparison(const std::vector<Summary>& runs) {
  if (runs.empty()) return {};
  std::vector<Row> rows{heading(runs.front())};
  for (const Summary& run : runs) rows.push_back(row_of(run, runs.front()));
  return table(rows);
}

}  // namespace halfling::cli
