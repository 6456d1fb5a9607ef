// SPDX-License-Identifier: Apache-2.0
#include "report/tables.hpp"

#include <fmt/format.h>

#include <cmath>

#include "report/answer.hpp"
#include "report/setting_values.hpp"
#include "report/spread_text.hpp"

namespace halfling {
namespace {

constexpr std::size_t longest_value = 60;  ///< bytes of a cell

std::string with_digits(const Spread& spread) {
  return std::isnan(spread.mean)        ? "-"
         : std::isnan(spread.deviation) ? fmt::format("{:#.4g}", spread.mean)
                                        : fmt::format("{:#.4g} ±{:.2g}", spread.mean, spread.deviation);
}

std::string value_of(const RunRecord& run, const std::string& key) {
  for (const auto& [name, value] : setting_values(run))
    if (name == key) return value;
  return run.value(key);
}

}  // namespace

TableRows operations_table(const Report& report) {
  TableRows rows{{"setting"}};
  const std::vector<std::string> names = operation_names(report.runs, &RunRecord::summary);
  for (const std::string& name : names)
    for (const char* what : {"loss ", "loss scale ", "skipped "}) rows[0].push_back(what + name);
  for (const Setting& setting : report.settings) {
    rows.push_back({setting.name});
    for (const std::string& name : names) {
      const auto figure = [&](auto get) {
        return setting.spread([&](const Summary& run) {
          const OperationMetrics* operation = run.operation(name);
          return operation == nullptr ? std::nan("") : static_cast<double>(get(*operation));
        });
      };
      const Spread scale = figure([](const OperationMetrics& o) { return o.loss_scale; });
      rows.back().push_back(with_digits(figure([](const OperationMetrics& o) { return o.loss; })));
      rows.back().push_back(std::isnan(scale.mean) ? "-" : fmt::format("{:g}", scale.mean));
      rows.back().push_back(with_deviation(figure([](const OperationMetrics& o) { return o.skipped; }), 0));
    }
  }
  return rows;
}

TableRows differences_table(const Report& report) {
  if (report.differing.empty()) return {};
  TableRows rows{{"setting"}};
  rows[0].insert(rows[0].end(), report.differing.begin(), report.differing.end());
  for (const Setting& setting : report.settings) {
    rows.push_back({setting.name});
    for (const std::string& key : report.differing) {
      const std::string value = value_of(setting.runs.front(), key);
      rows.back().push_back(value.empty() ? "-" : shortened(value, longest_value));
    }
  }
  return rows;
}

TableRows unfinished_table(const Report& report) {
  TableRows rows{{"run", "status", "iterations", "reason", "folder"}};
  for (std::size_t i = 0; i < report.runs.size(); ++i) {
    const Summary& run = report.runs[i].summary;
    if (run.status == "done") continue;
    std::string reason = run.error;
    if (run.status == "killed") reason = "killed, or the machine went down: no process trains in its folder";
    if (run.status == "interrupted") reason = "asked to stop; `halfling run RUN --resume` continues it";
    rows.push_back({report.names[i], status_text(run), std::to_string(run.iterations), reason,
                    report.runs[i].folder.string()});
  }
  return rows.size() > 1 ? rows : TableRows{};
}

}  // namespace halfling
