// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/report_figures.hpp"

namespace halfling {
namespace {

constexpr int panel_height = 190;
constexpr int key_row = 18;  ///< a run's name over the first panel
constexpr int foot_height = 52;
constexpr std::size_t colours = 8, dashes = 5;  ///< of gnuplot; runs beyond the colours are told by dashes

/// One block a run: iteration, then the loss of each training operation; what is not finite is left out.
std::string table_of(const std::vector<RunRecord>& runs) {
  std::string text = "# iteration\tloss of each training operation\n";
  for (const RunRecord& run : runs) {
    text += fmt::format("# {}\n", run.title());
    for (const LossPoint& point : run.losses) {
      text += fmt::format("{}", point.iteration);
      for (const double loss : point.losses)
        text += std::isfinite(loss) ? fmt::format("\t{:g}", loss) : "\t?";
      text += "\n";
    }
    text += run.losses.empty() ? "0\t?\n\n\n" : "\n\n";
  }
  return text;
}

/// A line through a single loss would not be seen.
std::string drawn_with(const RunRecord& run, std::size_t operation) {
  const auto seen = std::ranges::count_if(
      run.losses, [&](const LossPoint& point) { return std::isfinite(point.losses[operation]); });
  return seen == 1 ? "linespoints pt 7 ps 0.6" : "lines";
}

}  // namespace

Figure loss_figure(const std::vector<RunRecord>& runs) {
  const std::vector<OperationFigures>& operations = runs.front().summary.operations;
  const std::string name = "losses";
  const auto panels = static_cast<int>(operations.size());
  const int head = key_row * static_cast<int>(runs.size()) + 20;
  const int height = head + panel_height * panels + foot_height;
  std::string script = figure_start(name, 860, height);
  script += fmt::format(
      "set datafile missing '?'\nset format x ''\n"
      "set key at screen 0.08, screen {:.4f} left top Left reverse vertical maxcols 1 font ',11' noenhanced\n"
      "set multiplot layout {},1 margins 0.1,0.97,{:.4f},{:.4f} spacing 0,{:.4f}\n",
      1 - 8.0 / height, panels, static_cast<double>(foot_height) / height,
      1 - static_cast<double>(head) / height, 24.0 / height);
  for (std::size_t operation = 0; operation < operations.size(); ++operation) {
    script += fmt::format("set ylabel {} noenhanced\n", quoted("loss " + operations[operation].name));
    if (operation + 1 == operations.size()) script += "set format x '%g'\nset xlabel 'iteration'\n";
    script += "plot ";
    for (std::size_t run = 0; run < runs.size(); ++run)
      script += fmt::format("{}'{}.tsv' index {} using 1:{} with {} lt {} dt {} lw 1.5 title {}",
                            run == 0 ? "" : ", ", name, run, operation + 2, drawn_with(runs[run], operation),
                            run % colours + 1, run / colours % dashes + 1, quoted(runs[run].title()));
    script += "\nset key off\n";
  }
  return {name, table_of(runs), script + "unset multiplot\n"};
}

}  // namespace halfling
