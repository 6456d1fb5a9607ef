// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>

#include "report/report_figures.hpp"

namespace halfling {
namespace {

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

}  // namespace

Figure loss_figure(const std::vector<RunRecord>& runs) {
  const std::vector<OperationFigures>& operations = runs.front().summary.operations;
  const std::string name = "losses";
  const auto panels = static_cast<int>(operations.size());
  std::string script = figure_start(name, 860, 190 * panels + 24 * static_cast<int>(runs.size()) + 20);
  script += fmt::format(
      "set datafile missing '?'\nset multiplot layout {},1\nset lmargin 11\nset key outside top center "
      "vertical noenhanced\n",
      panels);
  for (std::size_t operation = 0; operation < operations.size(); ++operation) {
    script += fmt::format("set ylabel {} noenhanced\n", quoted("loss " + operations[operation].name));
    if (operation + 1 == operations.size()) script += "set xlabel 'iteration'\n";
    script += "plot ";
    for (std::size_t run = 0; run < runs.size(); ++run)
      script += fmt::format("{}'{}.tsv' index {} using 1:{} with lines lw 1.5 title {}", run == 0 ? "" : ", ",
                            name, run, operation + 2, quoted(runs[run].title()));
    script += "\nset key off\n";
  }
  return {name, table_of(runs), script + "unset multiplot\n"};
}

}  // namespace halfling
