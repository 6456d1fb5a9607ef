// SPDX-License-Identifier: Apache-2.0
// halfling report RUN...
#include <fmt/format.h>

#include <iostream>

#include "cli/command.hpp"
#include "halfling/error.hpp"
#include "report/page.hpp"

namespace halfling::cli {
namespace {

namespace fs = std::filesystem;

Grammar report_grammar() {
  Grammar grammar{
      .synopsis = "report RUN... [options]",
      .description =
          "Writes one HTML page that needs nothing else: table, loss curves, image grids and, where the\n"
          "numerics monitor was on, histograms of the gradients. Several runs are compared. RUN is a run\n"
          "folder, or a folder of run folders. The figures' numbers and gnuplot scripts stay beside it.",
      .repeated = "run"};
  grammar.options.add_options()("out", boost::program_options::value<std::string>()->value_name("FILE"),
                                "the page; otherwise report.html in the folder of the run or runs");
  return grammar;
}

/// In RUN itself where one was given, else in the folder that holds the first run.
fs::path page_file(const boost::program_options::variables_map& values, const Arguments& given) {
  if (values.count("out") != 0) return values["out"].as<std::string>();
  if (given.size() == 1) return fs::path(given.front()) / "report.html";
  return fs::absolute(given.front()).lexically_normal().parent_path() / "report.html";
}

}  // namespace

int run_report(const Arguments& arguments) {
  const auto values = parse(report_grammar(), arguments);
  if (!values) return exit_done;
  if (values->count("run") == 0)
    throw Error({.what = "report needs a run folder",
                 .expected = "halfling report RUN...",
                 .hint = "see `halfling report --help`",
                 .kind = ErrorKind::usage});
  const auto& given = (*values)["run"].as<Arguments>();
  std::vector<RunRecord> runs;
  for (const std::string& folder : given)
    for (const fs::path& run : runs_in(folder)) runs.push_back(read_run(run));
  const fs::path file = page_file(*values, given);
  fs::path figures = file;
  figures.replace_extension(".figures");
  const std::vector<std::string> undrawn = write_page(file, figures, runs);
  std::cout << file.string() << "\n";
  if (undrawn.empty()) return exit_done;
  std::cerr
      << "gnuplot is missing or failed (Debian: apt install gnuplot-nox); the figures can be drawn with\n";
  for (const std::string& command : undrawn) std::cerr << "  " << command << "\n";
  return exit_done;
}

}  // namespace halfling::cli
