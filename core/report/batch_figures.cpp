// SPDX-License-Identifier: Apache-2.0
// The article's figures 1 to 3: time and cost by batch size and precision.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "base/printable.hpp"
#include "report/report_figures.hpp"

namespace halfling {
namespace {

constexpr int plot_height = 300;
constexpr double wide_range = 4;  // from which on a logarithmic axis shows more

struct Point {
  std::int64_t batch_size = 0;
  double value = 0, low = 0, high = 0;
};

struct Line {
  std::string name;
  std::size_t number = 0;  ///< looks the same in all figures of a report
  std::vector<Point> points;
};

struct Plot {
  std::string name, y_label;
  std::vector<Line> lines;
  bool around_one = false;  ///< a ratio: a linear axis, with a line at 1
};

/// A line for each precision and family; a point for each timed setting that `point` has a value for.
std::vector<Line> lines_of(const Report& report, const std::function<Point(const Setting&)>& point) {
  std::vector<Line> lines;
  std::vector<std::string> keys;
  for (const Setting& setting : report.settings) {
    if (!setting.timed()) continue;
    const std::string key = setting.family + setting.precision;
    const auto at = static_cast<std::size_t>(std::ranges::find(keys, key) - keys.begin());
    if (at == keys.size()) {
      keys.push_back(key);
      lines.push_back({setting.precision + (setting.others.empty() ? "" : ", " + setting.others), at, {}});
    }
    if (const Point p = point(setting); !std::isnan(p.value)) lines[at].points.push_back(p);
  }
  std::erase_if(lines, [](const Line& line) { return line.points.empty(); });
  return lines;
}

Point spread_point(const Setting& setting, double factor) {
  const auto mean = [&](auto part) {
    return factor * setting.spread([&](const Summary& run) { return run.ms_per_iteration.*part; }).mean;
  };
  return {setting.batch_size, factor * setting.ms().mean, mean(&Quantiles::p10), mean(&Quantiles::p90)};
}

std::string table_of(const Plot& plot) {
  std::string text = fmt::format("# batch size\t{}\tfrom\tto\n", plot.y_label);
  for (const Line& line : plot.lines) {
    text += fmt::format("# {}\n", printable(line.name));
    for (const Point& p : line.points)
      text += fmt::format("{}\t{:.6g}\t{:.6g}\t{:.6g}\n", p.batch_size, p.value, p.low, p.high);
    text += "\n\n";
  }
  return text;
}

/// Some of each decade: gnuplot's own marks are whole decades alone.
std::string decades(double low, double high) {
  const std::vector<int> digits = high > 20 * low ? std::vector{1, 2, 5} : std::vector{1, 2, 3, 4, 6, 8};
  std::string text = "set logscale y\nset ytics (";
  const char* comma = "";
  for (int decade = static_cast<int>(std::floor(std::log10(low))); std::pow(10, decade) <= high * 10;
       ++decade)
    for (const int digit : digits) {
      text += fmt::format("{0}'{1:g}' {1:g}", comma, digit * std::pow(10, decade));
      comma = ", ";
    }
  return text + ")\n";
}

std::string axes(const Plot& plot) {
  std::set<std::int64_t> sizes;
  double low = plot.lines.front().points.front().value, high = low;
  for (const Line& line : plot.lines)
    for (const Point& p : line.points) {
      sizes.insert(p.batch_size);
      low = std::min(low, p.low);
      high = std::max(high, p.high);
    }
  std::string text = "set logscale x 2\nset xtics (";
  for (const std::int64_t size : sizes) text += fmt::format("{}{}", size == *sizes.begin() ? "" : ", ", size);
  text += fmt::format(")\nset xrange [{}:{}]\n", 0.8 * static_cast<double>(*sizes.begin()),
                      1.25 * static_cast<double>(*sizes.rbegin()));
  if (plot.around_one)
    return text + fmt::format(
                      "set yrange [0:{:g}]\nset arrow from graph 0, first 1 to graph 1, first 1 nohead lc "
                      "rgb '#666666' dt 2\n",
                      1.1 * std::max(high, 1.));
  const bool logarithmic = low > 0 && high > wide_range * low;
  return text + (logarithmic
                     ? decades(low, high) + fmt::format("set yrange [{:g}:{:g}]\n", low / 1.2, high * 1.2)
                     : std::string("set yrange [0:*]\n"));
}

/// Lines side by side at a batch size, so that none covers another's bars.
double shifted(std::size_t line, std::size_t lines) {
  return std::pow(2, 0.05 * (static_cast<double>(line) - 0.5 * static_cast<double>(lines - 1)));
}

Figure figure_of(const Plot& plot) {
  const int head = key_row * static_cast<int>(plot.lines.size()) + 16;
  const int height = head + plot_height;
  std::string script = figure_start(plot.name, figure_width, height) + key_over(plot.lines.size(), height);
  script +=
      fmt::format("set tmargin at screen {:.4f}\nset lmargin at screen 0.14\nset rmargin at screen 0.97\n",
                  1 - static_cast<double>(head) / height);
  script += axes(plot);
  script += fmt::format("set xlabel 'batch size'\nset ylabel {} noenhanced\nplot ", quoted(plot.y_label));
  for (std::size_t i = 0; i < plot.lines.size(); ++i) {
    const double shift = shifted(i, plot.lines.size());
    script += fmt::format(
        "{0}'{1}.tsv' index {2} using ($1*{3:.4f}):2:3:4 with yerrorbars {4} pt -1 lw 1.2 notitle, "
        "'' index {2} using ($1*{3:.4f}):2 with linespoints {4} lw 2 ps 0.8 title {5}",
        i == 0 ? "" : ", ", plot.name, i, shift, line_style(plot.lines[i].number),
        quoted(plot.lines[i].name));
  }
  return {plot.name, table_of(plot), script + "\n"};
}

std::string currency_of(const Report& report) {
  for (const Setting& setting : report.settings)
    if (const auto price = setting.price()) return price->currency;
  return {};
}

}  // namespace

std::vector<Figure> batch_figures(const Report& report) {
  const auto time = [](const Setting& s) { return spread_point(s, 1); };
  const auto samples = [](const Setting& s) {
    return spread_point(s, 1000 / static_cast<double>(s.batch_size));
  };
  const auto ratio = [&](const Setting& s) {
    const Comparison* c = report.comparison(s);
    return c ? Point{s.batch_size, c->speed.value, c->speed.low, c->speed.high}
             : Point{0, std::nan(""), 0, 0};
  };
  const std::string currency = currency_of(report);
  const auto cost = [&](const Setting& s) {
    const auto price = s.price();
    const bool same = price && price->currency == currency;  // amounts of two currencies share no axis
    return spread_point(s, same ? s.cost(1e6) / s.ms().mean : std::nan(""));
  };
  const std::vector<Plot> plots{
      {"time-by-batch", "ms a batch", lines_of(report, time)},
      {"samples-by-batch", "ms a thousand samples", lines_of(report, samples)},
      {"speed-by-batch", "times as fast as fp32", lines_of(report, ratio), true},
      {"cost-by-batch", currency + " for a million batches", lines_of(report, cost)}};
  std::vector<Figure> figures;
  const auto sweeps = [](const Line& line) { return line.points.size() > 1; };
  for (const Plot& plot : plots)
    if (std::ranges::any_of(plot.lines, sweeps)) figures.push_back(figure_of(plot));
  return figures;
}

}  // namespace halfling
