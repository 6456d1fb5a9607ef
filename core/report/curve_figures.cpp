// SPDX-License-Identifier: Apache-2.0
// Figures of what metrics.jsonl has: losses, loss scales, skipped updates.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "base/printable.hpp"
#include "report/report_figures.hpp"

namespace halfling {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
constexpr int panel_height = 130;
constexpr int foot_height = 62;
constexpr std::size_t most_points = 400;  // a line; more are not told apart, and make the page heavy

struct Panel {
  std::string label;
  std::function<double(const RunRecord&, const RunMetrics&)> value;
  bool powers_of_two = false;
};

struct Curves {
  std::string name, x_label;
  std::function<double(const RunMetrics&)> x;
  std::vector<Panel> panels;
};

using Row = std::vector<double>;  // x, then a value for each panel

double mean(const std::vector<Row>& rows, std::size_t first, std::size_t last, std::size_t column) {
  double sum = 0, count = 0;
  for (std::size_t row = first; row < last; ++row)
    if (std::isfinite(rows[row][column])) sum += rows[row][column], ++count;
  return count > 0 ? sum / count : unknown;
}

/// Means of neighbours where there are more lines than a figure shows.
std::vector<Row> thinned(const std::vector<Row>& rows) {
  if (rows.size() <= most_points) return rows;
  std::vector<Row> result;
  for (std::size_t i = 0; i < most_points; ++i) {
    const std::size_t first = i * rows.size() / most_points, last = (i + 1) * rows.size() / most_points;
    Row& row = result.emplace_back();
    for (std::size_t column = 0; column < rows.front().size(); ++column)
      row.push_back(mean(rows, first, last, column));
  }
  return result;
}

std::vector<Row> rows_of(const RunRecord& run, const Curves& curves) {
  std::vector<Row> rows;
  for (const RunMetrics& figures : run.metrics) {
    Row& row = rows.emplace_back(1, curves.x(figures));
    for (const Panel& panel : curves.panels) row.push_back(panel.value(run, figures));
  }
  return thinned(rows);
}

/// One block a run; what is not there or not finite is left out.
std::string block_of(const std::string& name, const std::vector<Row>& rows, std::size_t panels) {
  std::string text = fmt::format("# {}\n", printable(name));
  for (const Row& row : rows) {
    for (std::size_t column = 0; column < row.size(); ++column)
      text += (column > 0 ? "\t" : "") +
              (std::isfinite(row[column]) ? fmt::format("{:.6g}", row[column]) : std::string("?"));
    text += "\n";
  }
  if (rows.empty()) {
    text += "0";
    for (std::size_t i = 0; i < panels; ++i) text += "\t?";
    text += "\n";
  }
  return text + "\n\n";
}

/// A run's part of a `plot`. A line through a single point would not be seen; a run that has nothing to show
/// has its place in the key all the same.
std::string drawn(const Curves& curves, const std::string& name, const std::vector<Row>& rows,
                  std::size_t number, std::size_t column) {
  const auto seen =
      std::ranges::count_if(rows, [&](const Row& row) { return std::isfinite(row[column - 1]); });
  const std::string data =
      seen == 0 ? "keyentry" : fmt::format("'{}.tsv' index {} using 1:{}", curves.name, number, column);
  return fmt::format("{} with {} {} lw 1.5 title {}", data, seen == 1 ? "linespoints ps 0.6" : "lines",
                     line_style(number), quoted(name));
}

struct Range {
  double low = std::numeric_limits<double>::infinity(), high = -low;
};

/// Of what a panel shows, as powers of two where its axis has them; from 0 to 1 where there is nothing.
Range range_of(const Panel& panel, const std::vector<std::vector<Row>>& runs, std::size_t column) {
  Range range;
  for (const std::vector<Row>& rows : runs)
    for (const Row& row : rows)
      if (const double value = panel.powers_of_two ? std::log2(row[column]) : row[column];
          std::isfinite(value)) {
        range.low = std::min(range.low, value);
        range.high = std::max(range.high, value);
      }
  return range.low <= range.high ? range : Range{0, 1};
}

/// 1, 2 or 5 of a decade, of which at most five go into the range.
double round_step(double range) {
  const double rough = range / 5, decade = std::pow(10, std::floor(std::log10(rough)));
  return decade * (rough > 5 * decade ? 10 : rough > 2 * decade ? 5 : rough > decade ? 2 : 1);
}

/// Range and marks, as many as the height of a panel has room for.
std::string y_axis(const Panel& panel, Range range) {
  if (panel.powers_of_two)
    return fmt::format("set logscale y 2\nset format y '2^{{%L}}'\nset ytics {:g}\nset yrange [{:g}:{:g}]\n",
                       std::exp2(std::max(1., std::ceil((range.high - range.low) / 4))),
                       std::exp2(range.low - 0.5), std::exp2(range.high + 0.5));
  const double size = std::max({range.high - range.low, 1e-3 * std::abs(range.high), 1e-9});
  return fmt::format("unset logscale y\nset format y '%g'\nset ytics {:g}\nset yrange [{:g}:{:g}]\n",
                     round_step(size), range.low - 0.06 * size, range.high + 0.06 * size);
}

Figure curve_figure(const Report& report, const Curves& curves) {
  const auto panels = static_cast<int>(curves.panels.size());
  const int head = key_row * static_cast<int>(report.runs.size()) + 20;
  const int height = head + panel_height * panels + foot_height;
  std::string table = fmt::format("# {}", curves.x_label);
  for (const Panel& panel : curves.panels) table += "\t" + printable(panel.label);
  table += fmt::format("\n# of runs with more than {} lines of metrics, means of neighbours\n", most_points);
  std::vector<std::vector<Row>> rows;
  for (std::size_t run = 0; run < report.runs.size(); ++run) {
    rows.push_back(rows_of(report.runs[run], curves));
    table += block_of(report.names[run], rows.back(), curves.panels.size());
  }
  std::string script = figure_start(curves.name, figure_width, height);
  script += "set format x ''\n" + key_over(report.runs.size(), height);
  script += fmt::format("set multiplot layout {},1 margins 0.14,0.97,{:.4f},{:.4f} spacing 0,{:.4f}\n",
                        panels, static_cast<double>(foot_height) / height,
                        1 - static_cast<double>(head) / height, 18.0 / height);
  for (std::size_t i = 0; i < curves.panels.size(); ++i) {
    const Panel& panel = curves.panels[i];
    script += fmt::format("set ylabel {} noenhanced\n", quoted(panel.label));
    script += y_axis(panel, range_of(panel, rows, i + 1));
    if (i + 1 == curves.panels.size())
      script += fmt::format("set format x '%g'\nset xlabel {}\n", quoted(curves.x_label));
    script += "plot ";
    for (std::size_t run = 0; run < report.runs.size(); ++run)
      script += (run == 0 ? "" : ", ") + drawn(curves, report.names[run], rows[run], run, i + 2);
    script += "\nset key off\n";
  }
  return {curves.name, table, script + "unset multiplot\n"};
}

template <class Get>
auto of_operation(const std::string& name, Get get) {
  return [name, get](const RunRecord&, const RunMetrics& figures) {
    const auto found = std::ranges::find(figures.operations, name, &OperationMetrics::name);
    return found == figures.operations.end() ? unknown : static_cast<double>(get(*found));
  };
}

double iteration_of(const RunMetrics& figures) {
  return static_cast<double>(figures.iteration);
}

/// Seconds of the longest run.
double longest(const Report& report) {
  double seconds = 0;
  for (const RunRecord& run : report.runs)
    if (!run.metrics.empty()) seconds = std::max(seconds, run.metrics.back().elapsed);
  return seconds;
}

Curves over_time(const Report& report, std::string name) {
  const double unit = longest(report) > 180 ? 60 : 1;
  return {std::move(name),
          unit > 1 ? "minutes of training" : "seconds of training",
          [unit](const RunMetrics& figures) { return figures.elapsed / unit; },
          {}};
}

/// Of the checkpoint of this iteration, if there was one.
const ImageQuality* quality_at(const RunRecord& run, std::int64_t iteration) {
  const Quality* quality = quality_of(run);
  if (quality == nullptr) return nullptr;
  if (quality->iteration == iteration) return &quality->generated;
  const auto found = std::ranges::find(quality->course, iteration, &QualityAt::iteration);
  return found == quality->course.end() ? nullptr : &found->generated;
}

double skips_of(const RunMetrics& figures) {
  double skipped = 0;
  for (const OperationMetrics& operation : figures.operations)
    skipped += static_cast<double>(operation.skipped);
  return skipped;
}

bool scaled_or_skipped(const RunRecord& run) {
  const auto changed = [&](const RunMetrics& figures) {
    return skips_of(figures) > 0 ||
           !std::ranges::equal(figures.operations, run.metrics.front().operations, {},
                               &OperationMetrics::loss_scale, &OperationMetrics::loss_scale);
  };
  return std::ranges::any_of(run.metrics, changed);
}

}  // namespace

Figure loss_figure(const Report& report, Over over) {
  Curves curves{"losses-by-iteration", "iteration", iteration_of, {}};
  if (over == Over::time) curves = over_time(report, "losses-by-time");
  for (const std::string& name : operation_names(report.runs, &RunRecord::summary))
    curves.panels.push_back(
        {"loss " + name, of_operation(name, [](const OperationMetrics& o) { return o.loss; })});
  return curve_figure(report, curves);
}

std::optional<Figure> scale_figure(const Report& report) {
  if (std::ranges::none_of(report.runs, scaled_or_skipped)) return std::nullopt;
  Curves curves{"loss-scale", "iteration", iteration_of, {}};
  for (const std::string& name : operation_names(report.runs, &RunRecord::summary))
    curves.panels.push_back(
        {"scale " + name, of_operation(name, [](const OperationMetrics& o) { return o.loss_scale; }), true});
  curves.panels.push_back(
      {"skipped", [](const RunRecord&, const RunMetrics& figures) { return skips_of(figures); }});
  return curve_figure(report, curves);
}

std::optional<Figure> quality_figure(const Report& report) {
  const auto measured = [](const RunRecord& run) {
    return quality_of(run) && !quality_of(run)->course.empty();
  };
  if (std::ranges::none_of(report.runs, measured)) return std::nullopt;
  Curves curves = over_time(report, "quality-by-time");
  curves.panels.push_back({"Fréchet distance", [](const RunRecord& run, const RunMetrics& figures) {
                             const ImageQuality* images = quality_at(run, figures.iteration);
                             return images ? images->frechet_distance : unknown;
                           }});
  curves.panels.push_back({"class accuracy", [](const RunRecord& run, const RunMetrics& figures) {
                             const ImageQuality* images = quality_at(run, figures.iteration);
                             return images ? images->class_accuracy : unknown;
                           }});
  return curve_figure(report, curves);
}

}  // namespace halfling
