// SPDX-License-Identifier: Apache-2.0
// The table that a page begins with.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "report/answer.hpp"
#include "report/spread_text.hpp"
#include "report/tables.hpp"

namespace halfling {
namespace {

int digits_of(double ms) {
  return ms < 100 ? 2 : ms < 1000 ? 1 : 0;
}

std::string money(double amount) {
  return std::isnan(amount) ? "-" : fmt::format("{:.{}f}", amount, amount < 1 ? 4 : 2);
}

std::string range_of(const Setting& setting) {
  const auto p10 = setting.spread([](const Summary& run) { return run.ms_per_iteration.p10; }).mean;
  const auto p90 = setting.spread([](const Summary& run) { return run.ms_per_iteration.p90; }).mean;
  return std::isnan(p10) ? "-" : fmt::format("{:.{}f}-{:.{}f}", p10, digits_of(p10), p90, digits_of(p90));
}

std::string status_of(const Setting& setting) {
  std::set<std::string> different;
  for (const RunRecord& run : setting.runs) different.insert(status_text(run.summary));
  return fmt::format("{}", fmt::join(different, ", "));
}

struct Column {
  std::string heading;
  std::function<std::string(const Setting&)> cell;
};

std::vector<Column> time_columns(const Report& report) {
  std::vector<Column> columns;
  if (!report.comparisons.empty())
    columns.push_back({"times as fast as fp32", [&](const Setting& s) {
                         const Comparison* c = report.comparison(s);
                         return c ? text_of(c->speed) : std::string("-");
                       }});
  columns.push_back(
      {"ms a batch", [](const Setting& s) { return with_deviation(s.ms(), digits_of(s.ms().mean)); }});
  columns.push_back({"p10-p90", range_of});
  columns.push_back({"images/s", [](const Setting& s) {
                       return with_deviation(s.spread([](const Summary& run) { return run.images_per_s(); }),
                                             0);
                     }});
  return columns;
}

std::vector<Column> memory_columns(const Report& report) {
  std::vector<Column> columns;
  if (!report.comparisons.empty())
    columns.push_back({"times the memory", [&](const Setting& s) {
                         const Comparison* c = report.comparison(s);
                         return c && c->memory ? fmt::format("{:.2f}", *c->memory) : std::string("-");
                       }});
  columns.push_back({"peak MiB", [](const Setting& s) {
                       return with_deviation(s.spread([](const Summary& run) {
                         return run.peak_bytes > 0 ? static_cast<double>(run.peak_bytes) / (1 << 20)
                                                   : std::nan("");
                       }),
                                             0);
                     }});
  return columns;
}

/// Where no machine told, none.
std::vector<Column> energy_columns(const Report& report) {
  const auto joules = [](const Setting& s) {
    return s.spread(
        [](const Summary& run) { return run.native ? run.joules_per_1000_samples() : std::nan(""); });
  };
  if (std::ranges::all_of(report.settings, [&](const Setting& s) { return std::isnan(joules(s).mean); }))
    return {};
  return {{"J for 1000 images", [joules](const Setting& s) { return with_deviation(joules(s), 1); }}};
}

/// Without a price, none.
std::vector<Column> cost_columns(const Report& report) {
  const auto priced = [](const Setting& s) { return !std::isnan(s.cost(1)); };
  if (std::ranges::none_of(report.settings, priced)) return {};
  std::set<std::string> currencies;
  for (const Setting& s : report.settings)
    if (const auto price = s.price()) currencies.insert(price->currency);
  const bool one = currencies.size() == 1;
  const auto cell = [one](const Setting& s, double iterations) {
    const std::string text = money(s.cost(iterations));
    return one || text == "-" ? text : text + " " + s.price()->currency;
  };
  const std::string unit = one ? *currencies.begin() : "cost";
  return {{unit + " for 1 M batches", [cell](const Setting& s) { return cell(s, 1e6); }},
          {unit + " for 1 M samples",
           [cell](const Setting& s) { return cell(s, 1e6 / static_cast<double>(s.batch_size)); }}};
}

std::vector<Column> run_columns(const Report& report) {
  std::vector<Column> columns;
  if (report.runs.size() > report.settings.size())
    columns.push_back({"seeds", [](const Setting& s) { return std::to_string(s.runs.size()); }});
  columns.push_back({"iterations", [](const Setting& s) {
                       return with_deviation(
                           s.spread([](const Summary& run) { return static_cast<double>(run.iterations); }),
                           0);
                     }});
  columns.push_back({"status", status_of});
  return columns;
}

}  // namespace

TableRows factors_table(const Report& report) {
  std::vector<Column> columns{{"setting", [](const Setting& s) { return s.name; }}};
  for (const auto& more : {time_columns(report), memory_columns(report), energy_columns(report),
                           cost_columns(report), run_columns(report)})
    columns.insert(columns.end(), more.begin(), more.end());
  TableRows rows(1);
  for (const Column& column : columns) rows[0].push_back(column.heading);
  for (const Setting& setting : report.settings) {
    rows.emplace_back();
    for (const Column& column : columns) rows.back().push_back(column.cell(setting));
  }
  return rows;
}

}  // namespace halfling
